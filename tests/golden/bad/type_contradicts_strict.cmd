hexec check --strict type_contradicts_strict.yaml
