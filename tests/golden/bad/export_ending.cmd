hexec run programs/saxpy.yaml --flamegraph=flame.png
