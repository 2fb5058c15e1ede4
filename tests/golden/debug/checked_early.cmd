debug() { hexec debug scopes.cl --grid 2 --block 8 --arg i32:16 --batch "$@" 2>&1; }
for line in 'break 12 message' 'break 12 message {zz}' 'break 12 message i is {i' 'break 12 message {}' \
            'break 12 thread 99' 'break 12 block 7' 'break 12 thread (8,0,0)'; do
    debug -e "$line"
done
debug -e 'set pagination off' -e 'set print pretty on' -e 'set confirm off' -e 'break 12 block 1 thread 7 message {i} {y + 1}' -e run
debug --kernel nobody -e 'break 12'
