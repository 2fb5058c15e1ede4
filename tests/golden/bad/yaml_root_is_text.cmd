hexec check yaml_root_is_text.yaml
