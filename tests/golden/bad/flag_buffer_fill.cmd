hexec good.yaml --buffer x=iotta
