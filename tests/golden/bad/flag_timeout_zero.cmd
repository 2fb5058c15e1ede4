hexec good.yaml --timeout 0
