hexec debug watch_vector.cl --block 1 --arg f32:8 --batch -e 'break 1' -e run -e 'watch arg0[3]' -e continue -e 'print arg0[3]'
