hexec check count_overflow.yaml
