hexec good.yaml --out y
