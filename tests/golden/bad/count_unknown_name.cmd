hexec check count_unknown_name.yaml
