hexec profile patterns.yaml --runs 1 --workers 1 --csv --by line --sort source | cut -d, -f1-24
