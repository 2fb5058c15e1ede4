hexec isa > /dev/full
