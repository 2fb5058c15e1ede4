hexec check --json good.yaml
