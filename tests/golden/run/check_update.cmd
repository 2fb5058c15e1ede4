hexec check_update.ptx --grid 2 --block 1 --arg u32:1 --arg u32:1 --check race --quiet
hexec check_update.ptx --grid 1 --block 2 --arg u32:1 --arg u32:1 --check race --quiet
