hexec compare base.json cut.json
