hexec check comma_missing.yaml
