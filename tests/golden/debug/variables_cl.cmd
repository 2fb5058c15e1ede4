hexec debug variables.cl --block 4 --arg f32:4:iota --arg shared:16 --batch -x variables_cl.txt
