hexec schema programme
