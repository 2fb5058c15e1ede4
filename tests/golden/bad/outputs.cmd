ln good.yaml hard.yaml
ln -s good.yaml link.yaml
head -c 16 /dev/zero > in.bin
for options in "good.yaml --out y=./good.yaml" "good.yaml --out y=hard.yaml" "good.yaml --report link.yaml" \
    "good.yaml --coverage good.yaml" "good.yaml --trace=chrome:good.yaml" "good.yaml --log-file good.yaml" \
    "good.yaml --out y=new --out x=./new" "good.yaml --flamegraph time:a.svg --pprof a.svg" \
    "good.yaml --otlp=run.jsonl --out y=run.traces.jsonl" "compare in.bin good.yaml --save-baseline ./good.yaml" \
    "good.yaml --buffer x=@in.bin --out y=in.bin" "outputs.yaml --out y=in.bin" "outputs.yaml --log-file in.bin" \
    "disasm good.yaml -o good.yaml" "asm good.yaml -o hard.yaml" "test good.yaml --junit link.yaml"; do
    hexec $options
    echo "exit code $?"
done
hexec good.yaml --out y=/dev/null --out x=/dev/null --quiet
echo "exit code $?"
cmp good.yaml hard.yaml && wc -c < in.bin
exit 2
