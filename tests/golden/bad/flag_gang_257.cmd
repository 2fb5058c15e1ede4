hexec good.yaml --gang 257
