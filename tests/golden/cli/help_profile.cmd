hexec profile --help
