# two kernels, of which one runs
hexec run programs/multi_kernel.yaml --kernel double --quiet --coverage double.lcov
cat double.lcov
# a branch at which the lanes of each warp part
hexec run patterns.yaml --quiet --coverage patterns.lcov
grep "^BR" patterns.lcov
