hexec check grid_of_four_numbers.yaml
