hexec check good.yaml
