hexec check --strict uninitialised_strict.yaml
