hexec check call_table_none.yaml
