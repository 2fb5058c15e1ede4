hexec programs/named_barriers.yaml --verify
