hexec good.yaml --kernel godo
