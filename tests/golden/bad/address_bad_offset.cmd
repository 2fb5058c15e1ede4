hexec check address_bad_offset.yaml
