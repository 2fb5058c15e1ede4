hexec programs/collatz.yaml --verify
