hexec check address_empty.yaml
