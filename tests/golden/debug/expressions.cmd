hexec debug expressions.cu --block 4 --arg i32:4 --arg u8:4 < expressions.txt 2>&1
