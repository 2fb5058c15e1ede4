hexec debug again.cl --block 2 --arg i32:2 --batch -e 'break 4 message hello {i}' -e run -e run -e 'goto 20' -e 'reverse-stepi 4' -e continue -e reverse-continue
