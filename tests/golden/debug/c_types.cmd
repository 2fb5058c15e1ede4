hexec debug c_types.cl --arg i32:4 < c_types.txt 2>&1
