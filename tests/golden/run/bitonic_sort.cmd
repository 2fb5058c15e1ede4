hexec programs/bitonic_sort.yaml --verify
