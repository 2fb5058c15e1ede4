hexec good.yaml --param m=4
