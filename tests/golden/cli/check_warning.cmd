hexec check warning.yaml
