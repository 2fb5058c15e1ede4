hexec good.yaml --workers 0
