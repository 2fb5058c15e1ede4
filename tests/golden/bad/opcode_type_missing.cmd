hexec check opcode_type_missing.yaml
