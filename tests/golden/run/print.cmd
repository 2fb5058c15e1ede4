hexec programs/print.yaml --verify
