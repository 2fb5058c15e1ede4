hexec check --strict unreachable_strict.yaml
