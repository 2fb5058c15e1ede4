hexec compare base.json --save-baseline kept.json
