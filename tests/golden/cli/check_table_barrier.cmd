hexec check check_table_barrier.yaml
