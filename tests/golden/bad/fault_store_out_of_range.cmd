hexec run fault_store_out_of_range.yaml --out y=y.npy --print y:0:4
code=$?
test -s y.npy && echo "y.npy was written"
exit $code
