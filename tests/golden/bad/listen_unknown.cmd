hexec programs/saxpy.yaml --listen bariers
