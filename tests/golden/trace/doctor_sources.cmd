# every kind of source, and what wins
export HEXEC_TRACING_PROFILE=ci HOLOGRAM_TRACING_PROFILE=local HOLOGRAM_PERF_TRACING=yes RUST_LOG=info NO_COLOR=1
export HEXEC_TRACING_REDACT_FIELDS='file,token*' HOLOGRAM_PERF_THRESHOLD_US=2.5
tracing() { sed -n '/^Tracing/,/^$/p'; }
hexec doctor --log-file run.log | tracing
HEXEC_LOG='hexec::program=debug,[launch{kernel.name="a_rather_long_name_of_a_kernel_for_a_line"}]=debug' \
    HEXEC_TRACING_FORMAT=compact HEXEC_LOG_FILE=x.log HEXEC_PERF_DIRECTIVES='[cpu_ldg]=debug' hexec doctor | tracing
HEXEC_TRACING_PROFILE= HEXEC_COLOR=always hexec doctor | tracing
test ! -e run.log && test ! -e x.log && echo "no log was opened"
