hexec check address_counted.yaml
