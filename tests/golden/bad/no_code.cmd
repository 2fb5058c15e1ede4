hexec check no_code.yaml
