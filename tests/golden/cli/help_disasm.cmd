hexec disasm --help
