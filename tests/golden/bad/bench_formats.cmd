hexec bench isa --json --csv
