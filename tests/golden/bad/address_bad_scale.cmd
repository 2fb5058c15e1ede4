hexec check address_bad_scale.yaml
