hexec run fault_index_negative.yaml --quiet
