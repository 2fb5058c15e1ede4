hexec check opcode_type_unknown.yaml
