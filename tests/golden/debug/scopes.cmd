hexec debug scopes.cl --grid 2 --block 64 --arg i32:128 < scopes.txt 2>&1
