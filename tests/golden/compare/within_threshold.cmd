hexec compare base.json slower.json --threshold 30
