hexec check jump_table_none.yaml
