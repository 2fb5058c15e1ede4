hexec check barrier_copies.ptx
