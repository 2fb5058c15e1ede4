hexec check type_missing.yaml
