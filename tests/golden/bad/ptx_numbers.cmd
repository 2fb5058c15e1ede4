# each case of ptx_numbers.ptx begins with //--- and its name
mkdir cases
awk '/^\/\/--- / { file = "cases/" $2 ".ptx"; next } { print > file }' ptx_numbers.ptx
hexec check cases/*.ptx
