hexec check addresses.yaml
