hexec run function_pointer.cu --block 4 --arg f32:4:1 --arg 0 --arg 8 --quiet
