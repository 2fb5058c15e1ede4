hexec programs/saxpy.yaml --suppressions known.yaml
