hexec check yaml_duplicate_key.yaml
