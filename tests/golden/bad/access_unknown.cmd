hexec check access_unknown.yaml
