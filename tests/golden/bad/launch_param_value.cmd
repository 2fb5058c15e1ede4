hexec check launch_param_value.yaml
