hexec programs/hash64.yaml --verify
