hexec run npy_other_type.yaml
