hexec isa atomg
