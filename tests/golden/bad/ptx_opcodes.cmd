# each case of ptx_opcodes.ptx begins with //--- and its name
mkdir cases
awk '/^\/\/--- / { file = "cases/" $2 ".ptx"; next } { print > file }' ptx_opcodes.ptx
hexec check cases/*.ptx
