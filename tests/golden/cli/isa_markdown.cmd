hexec isa bra --markdown
