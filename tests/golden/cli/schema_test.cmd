hexec schema test
