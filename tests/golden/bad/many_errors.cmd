hexec check many_errors.yaml
