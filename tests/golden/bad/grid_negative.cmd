hexec check grid_negative.yaml
