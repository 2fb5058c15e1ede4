# each case of ptx_syntax.ptx begins with //--- and its name
mkdir cases
awk '/^\/\/--- / { file = "cases/" $2 ".ptx"; next } { print > file }' ptx_syntax.ptx
hexec check cases/*.ptx
