hexec run programs/saxpy.yaml --flamegraph=lane:flame.svg
