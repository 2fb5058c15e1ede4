hexec check loop_counter_unknown.yaml
