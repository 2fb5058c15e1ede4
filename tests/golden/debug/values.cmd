hexec debug values.cu --block 4 --arg i32:4 --arg f32:4:iota < values.txt 2>&1
for letter in '&' '*' '-' '!' '('; do python3 -c "print('print ' + '$letter' * 200000 + 'y')" > deep.txt; hexec debug programs/saxpy.yaml --batch -x deep.txt 2>&1; echo $?; done
