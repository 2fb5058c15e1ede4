hexec debug inlined_header.cu --block 1 --arg i32:8:iota --batch -e "break inlined_header.h:6" -e run -e where 2>&1
