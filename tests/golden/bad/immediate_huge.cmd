hexec check immediate_huge.yaml
