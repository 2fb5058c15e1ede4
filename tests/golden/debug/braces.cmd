hexec debug braces.cu --block 1 --arg f32:4 --arg 3 --batch -e 'break 13' -e 'break 15' -e 'break 8' -e run -e continue -e continue
