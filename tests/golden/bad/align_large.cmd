hexec check align_large.yaml
