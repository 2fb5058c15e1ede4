hexec --help
