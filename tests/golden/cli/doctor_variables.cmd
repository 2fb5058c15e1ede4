# variables of options, with values that are none; variables that nothing reads, and those of other programs
options() { sed -n '/^Options/,$p' | sed '/^  not set/,/^$/d'; }
export HEXEC_WORKRES=4 HOLOGRAM_LAUNCH_BLOKING=1 HOLOGRAM_DATABASE=x HEXEC_ZZZZZZZZZ="$(printf 'a\033[1m\nb')"
export HEXEC_PARAM=n=64,a=0.5 HEXEC_TIMEOUT=0.5 HEXEC_CPU_LEVEL=plain CUDA_LAUNCH_BLOCKING=1
export OTEL_SERVICE_NAME=tests OTEL_EXPORTER_OTLP_HEADERS='authorization=secret'
export HEXEC_BUFFER="x=@$(printf '%0120d' 0)/a file"
hexec doctor --color never | options
unset HEXEC_WORKRES HOLOGRAM_LAUNCH_BLOKING HEXEC_ZZZZZZZZZ HEXEC_BUFFER
HEXEC_WORKERS=two HEXEC_GRID=0 HEXEC_CPU_LEVEL=v9 hexec doctor > told || echo "exit code $?"
options < told
