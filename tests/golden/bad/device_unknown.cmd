hexec profile programs/copy_one.yaml --device b100
