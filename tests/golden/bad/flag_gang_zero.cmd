hexec good.yaml --gang 0
