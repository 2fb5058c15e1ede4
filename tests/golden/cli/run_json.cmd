hexec good.yaml --json --print y:0:4
