hexec good.yaml --grid=
