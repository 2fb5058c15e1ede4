hexec check falls_off_the_end.yaml
