hexec good.yaml --print y:a:b
