hexec check parameter_unknown.yaml
