hexec programs/last_block.yaml --verify
