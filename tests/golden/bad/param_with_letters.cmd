hexec check param_with_letters.yaml
