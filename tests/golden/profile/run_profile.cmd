hexec run patterns.yaml --runs 1 --workers 1 --profile --by line --sort issues --top 2
