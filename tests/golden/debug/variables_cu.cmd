hexec debug variables.cu --block 4 --arg f32:4:iota --arg 4 --batch -x variables_cu.txt
