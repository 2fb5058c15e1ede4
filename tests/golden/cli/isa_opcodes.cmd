hexec isa add mad
