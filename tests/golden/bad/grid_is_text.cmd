hexec check grid_is_text.yaml
