hexec check address_unclosed.yaml
