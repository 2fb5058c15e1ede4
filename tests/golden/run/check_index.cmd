hexec run check_index.cu --block 4 --arg f32:4 --arg 2 --check memory --quiet
