hexec programs/vector_add.yaml
hexec programs/vector_add.yaml --verify
hexec run_not_checked.yaml
hexec run_not_checked.yaml --block 2
