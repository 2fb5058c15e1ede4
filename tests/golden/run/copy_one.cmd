hexec programs/copy_one.yaml --verify
