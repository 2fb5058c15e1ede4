hexec check label_unknown.yaml
