run() { hexec run argument_signs.cl --arg i32:4 "$@" 2>&1 | grep -E '=|error'; }
run --arg -128 --arg -32768 --arg -2147483648 --arg -1
run --arg 255 --arg 65535 --arg 4294967295 --arg 18446744073709551615
run --arg -129 --arg 65536 --arg -3000000000 --arg -9223372036854775809
hexec debug argument_signs.cl --arg i32:4 --arg -1 --arg -2 --arg -3 --arg -4 --batch -e 'break 3' -e run -e 'info args' 2>&1
