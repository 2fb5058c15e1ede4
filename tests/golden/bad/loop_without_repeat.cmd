hexec check loop_without_repeat.yaml
