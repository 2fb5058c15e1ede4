hexec check param_octal.yaml
