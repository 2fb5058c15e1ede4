hexec disasm programs/vector_add.yaml --lowered --compiled
