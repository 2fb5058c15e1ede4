hexec compare --help
