hexec check latin1.yaml
