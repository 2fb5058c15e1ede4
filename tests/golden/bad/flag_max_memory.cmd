hexec good.yaml --max-memory 1XB
