HEXEC_COLOR=blue hexec good.yaml
