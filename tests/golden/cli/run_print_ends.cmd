# of a large buffer its ends, unless a range is given
hexec programs/vector_add.yaml --quiet --print c
hexec programs/vector_add.yaml --quiet --print c:0:20
hexec programs/vector_add.yaml --quiet --print c:0:1000 | wc -w
