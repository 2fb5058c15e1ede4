hexec asm --help
