hexec profile patterns.yaml --runs 1 --workers 1 --by line --sort source --top 100
