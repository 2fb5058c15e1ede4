hexec good.yaml --param n=many
