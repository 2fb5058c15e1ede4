hexec programs/vector_add.yaml --verify
