hexec compare base.json other.json
