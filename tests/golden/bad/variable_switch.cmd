HEXEC_QUIET=maybe hexec good.yaml
