hexec programs/transpose_naive.yaml --verify
