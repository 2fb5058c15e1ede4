hexec run argument_signs.cl --arg i32:3 --arg 1 --arg 2 --arg 3 --arg 4 2>&1 | grep -o 'the buffer of argument.*'
