HEXEC_LOG=hexec=loud hexec good.yaml
