hexec print_half_line.yaml --check memory
hexec print_half_line.yaml --quiet
