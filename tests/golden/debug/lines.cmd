hexec debug lines.cu --kernel ml --block 4 --arg i32:8 --arg 3 --batch -e 'break 6' -e 'break 9' -e 'break 10' -e 'break 12' -e 'break 14' -e 'break 15' -e run -e c -e c -e c -e c -e c -e c -e c -e c -e 'info breakpoints' -e reverse-continue -e reverse-continue
hexec debug lines.cu --kernel two --block 1 --arg i32:8 --batch -e 'break 18' -e 'break 26' -e 'ignore 1 1' -e 'info breakpoints' -e run -e where -e continue -e where -e 'print a' -e continue -e 'print a' -e 'list 24,28' -e 'clear 26' -e 'clear 18' -e 'tbreak 29' -e run -e 'info breakpoints'
hexec debug lines.cu --kernel two --block 1 --arg i32:8 --batch -e 'break 27' -e 'break 16' -e 'tbreak 31' -e run -e continue
hexec debug lines.cu --kernel two --optimized --block 1 --arg i32:8 --batch -e 'break 18' -e 'break 26' -e 'break 29'
