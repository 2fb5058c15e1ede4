hexec check count_missing.yaml
