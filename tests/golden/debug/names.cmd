hexec debug names.cu --grid 1 --block 2 --arg i32:2 < names.txt 2>&1
