hexec run count_huge.yaml
