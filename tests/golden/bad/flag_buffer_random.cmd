hexec good.yaml --buffer x=random:sed=1
