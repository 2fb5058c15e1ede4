hexec doctor --help
