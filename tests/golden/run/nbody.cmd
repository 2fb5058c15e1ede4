hexec programs/nbody.yaml --verify
