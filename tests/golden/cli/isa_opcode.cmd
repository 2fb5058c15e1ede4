hexec isa ldg
