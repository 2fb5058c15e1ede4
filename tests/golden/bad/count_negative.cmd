hexec check count_negative.yaml
