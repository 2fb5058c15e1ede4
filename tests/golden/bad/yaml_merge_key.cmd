hexec check yaml_merge_key.yaml
