hexec fault_assert_ptx.ptx --arg 4 --grid 1 --block 1 --quiet
