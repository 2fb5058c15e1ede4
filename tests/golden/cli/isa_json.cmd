hexec isa bra --json
