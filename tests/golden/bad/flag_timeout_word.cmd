hexec good.yaml --timeout soon
