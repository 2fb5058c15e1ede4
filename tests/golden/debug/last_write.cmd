hexec debug last_write.cl --block 64 --arg i32:64 --batch -e 'break 10 thread 33' -e run -e 'last-write s' -e 'tbreak 10' -e continue -e 'delete' -e continue -e 'last-write arg0[4]' -e 'print s' -e 'last-write arg0[5]'
hexec debug last_write.cl --block 1 --arg i32:64 --batch -e 'break plus' -e run -e step -e step -e step -e 'reverse-step 2' -e 'reverse-next'
