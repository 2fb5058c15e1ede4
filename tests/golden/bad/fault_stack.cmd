hexec run fault_stack.yaml
