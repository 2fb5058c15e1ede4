hexec good.yaml --xyzzy
