hexec check yaml_root_is_list.yaml
