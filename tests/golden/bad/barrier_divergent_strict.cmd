hexec check --strict barrier_divergent_strict.yaml
