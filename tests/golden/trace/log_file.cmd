HEXEC_PERF_TRACING=1 hexec one.yaml -q --log-file log
grep -c performance_span_complete log
