hexec programs/histogram.yaml --verify
