hexec check unknown_key.yaml
