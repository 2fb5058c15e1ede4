hexec debug inlined.cu --grid 1 --block 4 --arg i32:4 < inlined.txt 2>&1
