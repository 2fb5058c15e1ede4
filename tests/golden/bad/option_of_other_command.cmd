hexec check good.yaml --grid 4
