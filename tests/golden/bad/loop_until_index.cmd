hexec check loop_until_index.yaml
