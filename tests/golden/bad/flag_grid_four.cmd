hexec good.yaml --grid 1,2,3,4
