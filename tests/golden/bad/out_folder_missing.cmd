hexec run good.yaml --quiet --out y=nowhere/y.npy
