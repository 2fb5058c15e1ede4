hexec good.yaml --grid
