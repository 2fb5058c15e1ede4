hexec profile programs/multi_kernel.yaml --runs 1 --workers 1 --launch 4 --by line --sort issues --top 2
hexec profile programs/multi_kernel.yaml --runs 1 --launch 6
