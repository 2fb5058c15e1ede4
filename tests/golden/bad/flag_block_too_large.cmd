hexec good.yaml --block 2048
