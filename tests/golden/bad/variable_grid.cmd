HEXEC_GRID=0 hexec good.yaml
