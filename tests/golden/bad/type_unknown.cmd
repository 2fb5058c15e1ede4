hexec check type_unknown.yaml
