hexec warning.yaml --color=always -q
