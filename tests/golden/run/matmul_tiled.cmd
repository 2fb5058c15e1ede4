hexec programs/matmul_tiled.yaml --verify
