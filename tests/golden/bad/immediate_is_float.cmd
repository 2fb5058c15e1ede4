hexec check immediate_is_float.yaml
