hexec check good.yaml nowhere.yaml
