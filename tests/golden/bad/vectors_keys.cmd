hexec test vectors_keys.yaml
