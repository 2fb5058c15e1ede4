hexec profile programs/multi_kernel.yaml --runs 1 --workers 1 --by launch
