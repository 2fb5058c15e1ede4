hexec compare version.json base.json
