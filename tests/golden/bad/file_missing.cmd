hexec run nowhere.yaml
