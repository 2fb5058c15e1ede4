hexec good.yaml --block 64,64
