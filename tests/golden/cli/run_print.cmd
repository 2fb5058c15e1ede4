hexec good.yaml --print x --print y:30 --print y:2:3 --print y:99 -q
