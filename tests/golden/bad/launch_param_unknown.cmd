hexec check launch_param_unknown.yaml
