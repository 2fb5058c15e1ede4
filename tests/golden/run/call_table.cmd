hexec programs/call_table.yaml --verify
