hexec check run_unknown_kernel.yaml
