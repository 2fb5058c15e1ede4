hexec programs/saxpy.yaml --check all --suppressions suppressions_keys.yaml
