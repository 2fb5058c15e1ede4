hexec good.yaml --max-memory 99999999999GiB
