hexec debug assign.cl --block 2 --arg i8:96 --arg f32:2 < assign.txt 2>&1
