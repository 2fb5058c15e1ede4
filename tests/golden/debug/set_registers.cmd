hexec debug set_registers.yaml --batch -x set_registers.txt
# what has been read already, what is not read again, what is none, lanes that are not there; the run goes on as before
for wrong in 'set p1 = false' 'set r5 = 1' 'set %tid.x = 1' 'set lanes 64 r0 = 1' 'set lanes 3-1 r0 = 1' 'set lanes 8 r0 = 1' 'set r0 = nothing' 'set r0'; do
    hexec debug set_registers.yaml --batch -e 'break 16 thread 35' -e run -e "$wrong" | tail -n +4
done
