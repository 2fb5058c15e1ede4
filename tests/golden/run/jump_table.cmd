hexec programs/jump_table.yaml --verify
