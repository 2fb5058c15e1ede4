hexec check yaml_tag.yaml
