hexec good.yaml --timeout nan
