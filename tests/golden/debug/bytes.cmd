hexec debug bytes.cu --block 4 --arg i32:4 < bytes.txt 2>&1
