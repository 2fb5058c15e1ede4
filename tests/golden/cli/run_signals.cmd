for signal in HUP XFSZ TERM; do
    hexec run_signals.yaml --quiet 2> said &
    while kill -0 $! && ! grep -q '^SigCgt:.*[13579bdf]$' /proc/$!/status; do sleep 0.01; done
    kill -$signal $!
    wait $!
    echo "$signal: exit code $?"
    grep -o 'error\[HX[0-9]*\]' said
done
