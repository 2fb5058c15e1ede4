# a warning, which --quiet leaves out and check does not
hexec run_addresses.yaml --verify --quiet
hexec check run_addresses.yaml --quiet
hexec run_addresses.yaml --quiet --strict
