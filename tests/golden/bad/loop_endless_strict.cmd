hexec check --strict loop_endless_strict.yaml
