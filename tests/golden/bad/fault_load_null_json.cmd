hexec run fault_load_null_json.yaml --json --workers 1
