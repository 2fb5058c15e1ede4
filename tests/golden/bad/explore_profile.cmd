hexec programs/saxpy.yaml --explore 5 --profile
