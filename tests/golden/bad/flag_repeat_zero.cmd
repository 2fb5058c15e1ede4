hexec good.yaml --repeat 0
