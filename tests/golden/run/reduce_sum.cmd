hexec programs/reduce_sum.yaml --verify
