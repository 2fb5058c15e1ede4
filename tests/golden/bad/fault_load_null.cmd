hexec run fault_load_null.yaml
