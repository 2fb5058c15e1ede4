hexec programs/warp_reduce.yaml --verify
