hexec good.yaml --dynamic-shared 4GiB
