hexec check kernels_and_code.yaml
