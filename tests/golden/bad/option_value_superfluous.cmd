hexec good.yaml --verify=yes
