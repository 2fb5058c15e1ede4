hexec debug as_gdb.cl --block 4 --arg f32:4:iota --batch -e 'source commands.txt'
echo 'source self.txt' > self.txt
for line in 'source self.txt' 'source nothing.txt' 'source' 'commands' 'commands 9' 'printf 1' 'printf "%d"' 'printf "%q", 1' 'printf "%d", zz' 'printf "%s %c", 65, 65'; do hexec debug as_gdb.cl --block 4 --arg f32:4:iota --batch -e start -e "$line" 2>&1 | tail -n +3; done
printf 'print i\nprint k\n' > two.txt
printf '%s\n' 'break 9' commands 'source two.txt' 'echo behind' end run 'help backtrace' 'help kill' | hexec debug as_gdb.cl --block 1 --arg f32:4:iota 2>&1
