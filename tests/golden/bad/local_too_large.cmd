hexec local_too_large.yaml
