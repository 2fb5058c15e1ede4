hexec programs/black_scholes.yaml --verify
