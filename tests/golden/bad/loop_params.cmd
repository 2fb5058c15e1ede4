hexec check loop_params.yaml
