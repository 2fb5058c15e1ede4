hexec run fault_misaligned.yaml
