hexec run check_near.cu --kernel before --grid 1 --block 4 --arg i32:4 --arg i32:4 --check memory | tail -n +5
hexec run check_near.cu --kernel before --grid 1 --block 4 --arg i32:4 --arg i32:4 --check memory --quiet --explore 4; echo "exit code $?"
hexec run check_near.cu --kernel before --grid 1 --block 4 --arg i32:4 --arg i32:4 --check memory --quiet --profile > /dev/null; echo "exit code $?"
hexec run check_near.cu --kernel sets --grid 1 --block 5 --arg image:f32:4x2 --check memory --quiet
hexec run check_near.cu --kernel sets --grid 1 --block 5 --arg image:f32:4x2 --quiet 2>&1 | grep note
