hexec vprint.yaml
