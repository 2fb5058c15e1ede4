hexec check yaml_nul_bytes.yaml
