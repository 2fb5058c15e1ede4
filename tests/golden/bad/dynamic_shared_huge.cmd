hexec run dynamic_shared_huge.yaml
