hexec compare base.json nowhere.json
