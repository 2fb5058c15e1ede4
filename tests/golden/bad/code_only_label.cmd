hexec check code_only_label.yaml
