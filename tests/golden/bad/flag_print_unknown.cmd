hexec good.yaml --print yy
