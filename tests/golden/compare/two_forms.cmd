hexec compare base.json same.json --json --markdown
