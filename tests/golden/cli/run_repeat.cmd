hexec good.yaml --repeat 3 --grid 1
