hexec programs/transpose.yaml --verify
