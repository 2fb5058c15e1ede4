hexec good.yaml --grid 0
