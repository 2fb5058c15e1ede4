hexec run block_too_large.yaml
