hexec bench --help
