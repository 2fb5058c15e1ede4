hexec check loop_of_nothing.yaml
