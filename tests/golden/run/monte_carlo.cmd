hexec programs/monte_carlo.yaml --verify
