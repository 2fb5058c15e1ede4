hexec compare slower.json base.json --threshold 2
