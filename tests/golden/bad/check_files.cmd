hexec check check_files.yaml
