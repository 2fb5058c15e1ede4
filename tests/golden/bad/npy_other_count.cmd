hexec run npy_other_count.yaml
