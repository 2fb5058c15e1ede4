hexec check yaml_empty.yaml
