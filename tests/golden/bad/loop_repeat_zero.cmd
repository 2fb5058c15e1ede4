hexec check loop_repeat_zero.yaml
