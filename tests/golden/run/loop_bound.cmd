hexec loop_bound.yaml --print left
