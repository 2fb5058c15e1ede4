hexec check grid_with_letters.yaml
