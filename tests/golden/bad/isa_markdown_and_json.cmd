hexec isa --markdown --json
