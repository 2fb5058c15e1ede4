hexec bench host_and_isa
