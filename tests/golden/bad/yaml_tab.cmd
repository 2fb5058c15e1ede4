hexec check yaml_tab.yaml
