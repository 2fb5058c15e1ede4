hexec check immediate_twice.yaml
