hexec fault_dynamic.yaml
