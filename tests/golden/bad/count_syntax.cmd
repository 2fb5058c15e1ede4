hexec check count_syntax.yaml
