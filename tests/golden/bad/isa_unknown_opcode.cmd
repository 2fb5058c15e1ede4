hexec isa lgd
