hexec check operands_too_few.yaml
