hexec compare base.json
