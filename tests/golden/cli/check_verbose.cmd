hexec check -v good.yaml good.yaml
