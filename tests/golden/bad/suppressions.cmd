hexec programs/saxpy.yaml --check all --suppressions suppressions.yaml
