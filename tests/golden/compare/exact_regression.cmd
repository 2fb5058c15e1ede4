hexec compare base.json more_issues.json --threshold 5
