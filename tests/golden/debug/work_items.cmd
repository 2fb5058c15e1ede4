hexec debug work_items.cl --grid 2,2 --block 4,2 --arg i32:64 --arg shared:64 < work_items.txt 2>&1
