hexec compare base.json same.json --threshold 0
