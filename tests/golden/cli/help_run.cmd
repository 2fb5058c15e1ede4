hexec run --help
