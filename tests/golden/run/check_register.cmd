hexec run check_register.ptx --grid 1 --block 32 --arg i32:32 --check init --quiet; echo "exit code $?"
hexec run check_register.ptx --grid 1 --block 32 --arg i32:32 --check init --quiet --json | grep -o "it comes from %[^,]*"
