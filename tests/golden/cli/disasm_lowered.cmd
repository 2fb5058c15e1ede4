hexec disasm good.yaml --lowered
