hexec run programs/saxpy.yaml --quiet --flamegraph=no/such/folder/flame.svg --flamegraph=flame.folded
code=$?
ls flame.folded # the others are written
exit $code
