hexec good.yaml --cpu-level v5
