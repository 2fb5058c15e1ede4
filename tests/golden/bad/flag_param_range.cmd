hexec good.yaml --param n=-1
