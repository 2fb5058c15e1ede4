hexec debug vectors.cl --block 4 --arg f32:16 --arg 1 < vectors.txt 2>&1
