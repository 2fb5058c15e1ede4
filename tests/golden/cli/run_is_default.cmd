hexec good.yaml --grid 1,1,1 --print y:0:4
