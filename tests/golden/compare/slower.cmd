hexec compare base.json slower.json
