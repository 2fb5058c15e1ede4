hexec check label_twice.yaml
