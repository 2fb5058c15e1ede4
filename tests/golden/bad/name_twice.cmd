hexec check name_twice.yaml
