hexec check warning.yaml --color=always -q
