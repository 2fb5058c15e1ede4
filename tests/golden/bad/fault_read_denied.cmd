hexec run fault_read_denied.yaml
