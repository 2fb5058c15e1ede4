hexec programs/dot_f16.yaml --verify
