hexec good.yaml --out z=z.npy
