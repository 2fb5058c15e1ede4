hexec run warp_size_of_sub_groups.cl --block 64 --warp-size 16 --arg i32:64:iota --arg i32:64 -q
