hexec check fill_does_not_fit.yaml
