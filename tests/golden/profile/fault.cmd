# what was done until the fault is told
hexec profile fault.yaml --runs 1 --workers 1 --by line --sort source
