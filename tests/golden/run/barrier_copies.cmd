hexec barrier_copies.ptx --kernel copies --grid 1 --block 32 --arg 40 --quiet
