hexec compare base.json notes.json
