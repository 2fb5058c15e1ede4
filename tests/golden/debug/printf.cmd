hexec debug printf.cl --block 1 --arg i32:1 < printf.txt 2>&1
