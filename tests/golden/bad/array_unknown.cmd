hexec check array_unknown.yaml
