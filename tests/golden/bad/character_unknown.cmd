hexec check character_unknown.yaml
