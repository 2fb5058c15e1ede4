hexec check operands_too_many.yaml
