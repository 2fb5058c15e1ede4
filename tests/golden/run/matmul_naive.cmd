hexec programs/matmul_naive.yaml --verify
