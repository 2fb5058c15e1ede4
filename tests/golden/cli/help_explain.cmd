hexec explain --help
