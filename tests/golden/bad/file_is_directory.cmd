mkdir folder.yaml
hexec run folder.yaml
