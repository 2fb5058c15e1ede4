hexec check dynamic_local.yaml
