hexec compare base.json same.json
