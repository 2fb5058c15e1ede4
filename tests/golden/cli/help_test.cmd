hexec test --help
