hexec good.yaml --warp-size 33
