hexec good.yaml --grid 010
