hexec programs/scan_block.yaml --verify
