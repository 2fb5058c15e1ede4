hexec check grid_huge.yaml
