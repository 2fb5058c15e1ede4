hexec disasm good.yaml --lowered --kernel godo
