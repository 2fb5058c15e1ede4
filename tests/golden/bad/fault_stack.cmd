# one block after the other: what the second has stored when the first one faults is nobody's promise
hexec run fault_stack.yaml --workers 1
