hexec good.yaml --verbose
