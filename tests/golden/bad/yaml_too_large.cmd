truncate -s 100M large.yaml
hexec check large.yaml
