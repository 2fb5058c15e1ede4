hexec run fault_jump_table.yaml
