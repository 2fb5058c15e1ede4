hexec good.yaml --gird 4
