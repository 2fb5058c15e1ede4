hexec check --strict width_mismatch_strict.yaml
