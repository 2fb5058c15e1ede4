hexec debug inlined_ptx.ptx --block 4 --arg i32:4:iota < inlined_ptx.txt 2>&1
