hexec check code_empty.yaml
