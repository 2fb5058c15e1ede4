hexec check garbage.bin
