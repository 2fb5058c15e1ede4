hexec
