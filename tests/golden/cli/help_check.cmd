hexec check --help
