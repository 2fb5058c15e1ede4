hexec check grid_of_zero.yaml
