hexec check_memory.yaml --check memory --quiet; echo "exit code $?"
hexec check_memory.yaml --check memory --quiet --error-limit 1
