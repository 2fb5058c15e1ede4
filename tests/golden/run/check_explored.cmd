hexec run check_explored.cu --grid 2 --block 32 --arg i32:64 --arg i32:1 --check sync --quiet --explore 4; echo "exit code $?"
