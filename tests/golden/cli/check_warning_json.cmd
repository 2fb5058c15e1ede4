hexec check --json warning.yaml
