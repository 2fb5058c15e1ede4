hexec debug variables.cl --optimized --block 4 --arg f32:4:iota --arg shared:16 --batch -e 'break 17' -e run -e 'info args' -e 'info locals' -e 'print i'
