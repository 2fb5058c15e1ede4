hexec profile patterns.yaml --runs 1 --workers 1 --by opcode --sort issues
