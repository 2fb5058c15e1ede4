hexec programs/compact.yaml --verify
