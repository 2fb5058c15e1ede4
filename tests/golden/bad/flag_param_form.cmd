hexec good.yaml --param n
