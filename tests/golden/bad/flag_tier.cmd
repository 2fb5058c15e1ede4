hexec good.yaml --tier fast
