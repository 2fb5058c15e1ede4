hexec good.yaml --grid -1
