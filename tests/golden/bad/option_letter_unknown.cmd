hexec good.yaml -z
