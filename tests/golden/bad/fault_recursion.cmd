hexec run fault_recursion.yaml
