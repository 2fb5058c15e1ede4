hexec check opcode_unknown.yaml
