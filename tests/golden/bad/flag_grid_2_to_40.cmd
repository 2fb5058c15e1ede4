hexec good.yaml --grid 1099511627776
