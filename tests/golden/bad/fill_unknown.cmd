hexec check fill_unknown.yaml
