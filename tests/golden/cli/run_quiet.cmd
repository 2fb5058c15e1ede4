hexec good.yaml -q
