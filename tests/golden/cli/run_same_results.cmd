for options in "--workers 1" "--workers 2" "--gang 1" "--gang 64" "--cpu-level plain" "--seed 7" "--warp-size 1"; do hexec programs/vector_add.yaml -q --print c:0:4 $options; done
