hexec check register_unknown.yaml
