hexec good.yaml --buffer x=@nowhere.npy
