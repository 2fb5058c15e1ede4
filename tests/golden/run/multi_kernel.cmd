hexec programs/multi_kernel.yaml --verify
