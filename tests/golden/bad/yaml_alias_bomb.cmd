hexec check yaml_alias_bomb.yaml
