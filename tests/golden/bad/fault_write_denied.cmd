hexec run fault_write_denied.yaml
