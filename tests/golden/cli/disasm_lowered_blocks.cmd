hexec disasm small_blocks.yaml --lowered
