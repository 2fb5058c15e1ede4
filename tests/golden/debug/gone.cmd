for line in 'info line 5' 'info line' 'info line x' 'info frame' 'info locals' 'break +1' 'break -1' 'break 6'; do hexec debug gone.cl --block 40 --arg i32:40 --batch -e 'break 5 thread 39' -e run -e 'thread 0' -e "$line" 2>&1 | tail -n +4; done
hexec debug gone.cl --block 4 --arg i32:4 --batch -e 'break 5' -e run -e 'info line 5' -e 'info line' -e 'break +1' 2>&1 | tail -3
hexec debug gone.cl --block 40 --arg i32:40 --batch -e 'break 5 thread 39' -e run -e 'info warps' 2>&1 | tail -3
sed 's/\[i\]/[0]/' gone.cl > race.cl
token=$(hexec run race.cl --block 70 --arg i32:1 --options -O0 --explore 100 2>/dev/null | sed -n 's/^replay  *//p')
hexec debug race.cl --block 70 --arg i32:1 --options -O0 --replay $token --batch -e 'break 5' -e run -e 'info warps' 2>&1
