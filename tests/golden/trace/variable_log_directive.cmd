HEXEC_LOG=hexec=loud hexec one.yaml
