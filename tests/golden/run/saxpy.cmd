hexec programs/saxpy.yaml --verify
