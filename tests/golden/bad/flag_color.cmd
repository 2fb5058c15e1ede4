hexec good.yaml --color allways
