hexec check align_small.yaml
