# the kernel says in which blocks it runs
hexec run required_block.ptx --arg u32:32 --grid 1 --block 16
