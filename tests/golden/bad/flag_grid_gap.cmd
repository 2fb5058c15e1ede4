hexec good.yaml --grid 4,,1
