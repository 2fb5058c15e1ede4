hexec run values_do_not_fit.yaml
