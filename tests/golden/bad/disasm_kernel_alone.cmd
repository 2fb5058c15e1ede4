hexec disasm good.yaml --kernel good
