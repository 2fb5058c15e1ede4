hexec compare base.json sample_text.json
