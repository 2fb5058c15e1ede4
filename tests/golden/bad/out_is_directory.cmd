mkdir y.npy
hexec run good.yaml --quiet --out y=y.npy
