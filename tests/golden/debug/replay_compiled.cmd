options="replay_compiled.cu --grid 1 --block 64 --arg i32:64:zero"
find() { hexec run $options --explore 20 "$@" 2>/dev/null | sed -n 's/^replay  *//p'; }
plain=$(find) checked=$(find --check race)
seeded=$(hexec run $options --seed 3 | sed -n 's/^replay  *//p')
for token in $plain $checked $seeded; do
    hexec debug $options --replay $token --batch -e 'break 6 thread 31' -e run -e 'print arg0[30]' 2>&1
done
hexec debug $options --optimized --replay $checked --batch -e run 2>&1
hexec debug $options --grid 2 --replay $plain --batch -e run 2>&1
