hexec check guard_malformed.yaml
