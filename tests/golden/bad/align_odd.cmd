hexec check align_odd.yaml
