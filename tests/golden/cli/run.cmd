hexec run good.yaml
