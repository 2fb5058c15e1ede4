hexec schema
