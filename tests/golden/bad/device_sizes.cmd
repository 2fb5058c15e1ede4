hexec profile programs/copy_one.yaml --device ./device_sizes.yaml
