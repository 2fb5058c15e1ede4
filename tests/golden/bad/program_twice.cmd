hexec run good.yaml good.yaml
