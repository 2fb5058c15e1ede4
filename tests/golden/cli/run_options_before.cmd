hexec --quiet --print=y:1:2 good.yaml
hexec -q -- good.yaml
