hexec debug as_gdb.cl --grid 2 --block 4 --arg f32:8:iota < as_gdb.txt 2>&1
