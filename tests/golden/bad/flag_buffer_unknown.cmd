hexec good.yaml --buffer z=iota
