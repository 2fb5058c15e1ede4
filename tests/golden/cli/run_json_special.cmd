hexec special.yaml --json --print x --print x:1:1
