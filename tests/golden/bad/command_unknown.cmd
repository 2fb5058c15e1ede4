hexec chekc good.yaml
