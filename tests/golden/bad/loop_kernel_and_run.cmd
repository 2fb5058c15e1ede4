hexec check loop_kernel_and_run.yaml
