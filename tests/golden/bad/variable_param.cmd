HEXEC_PARAM=n=64,n hexec good.yaml
