hexec programs/saxpy.yaml --check all --suppressions known.yaml
