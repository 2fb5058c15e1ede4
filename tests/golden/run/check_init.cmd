hexec check_init.yaml --check init --quiet; echo "exit code $?"
hexec check_init.yaml --check init --quiet --error-limit 1
