hexec isa --help
