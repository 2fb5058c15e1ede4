hexec debug small.cu --block 1 --arg i32:4 --arg i8:24 < small.txt 2>&1
