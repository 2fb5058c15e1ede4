hexec programs/saxpy.yaml --profile --listen barriers
