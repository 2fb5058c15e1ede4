hexec check loop_counter_narrow.yaml
