hexec check param_does_not_fit.yaml
