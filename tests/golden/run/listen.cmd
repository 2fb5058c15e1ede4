hexec programs/reduce_sum.yaml --grid 1 --listen barriers --quiet 2>&1 | head -6
