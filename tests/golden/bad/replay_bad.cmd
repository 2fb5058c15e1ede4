hexec good.yaml --replay 12345
