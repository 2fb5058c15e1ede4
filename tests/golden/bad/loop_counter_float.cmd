hexec check loop_counter_float.yaml
