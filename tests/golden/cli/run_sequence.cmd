hexec two.yaml --workers 1
