hexec bench isa --filter lgd
