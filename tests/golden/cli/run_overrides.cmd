hexec good.yaml --param n=8 --buffer x=0.5 --block 8 --print y
