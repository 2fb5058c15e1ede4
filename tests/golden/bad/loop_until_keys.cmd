hexec check loop_until_keys.yaml
