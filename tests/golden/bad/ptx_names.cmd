# each case of ptx_names.ptx begins with //--- and its name
mkdir cases
awk '/^\/\/--- / { file = "cases/" $2 ".ptx"; next } { print > file }' ptx_names.ptx
hexec check cases/*.ptx
