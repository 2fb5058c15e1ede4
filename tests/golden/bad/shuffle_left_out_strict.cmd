hexec check --strict shuffle_left_out_strict.yaml
