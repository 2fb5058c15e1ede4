# each mistake is told with what is taken instead; a bad filter would end other commands, so the exit code is 2
HEXEC_TRACING_PROFILE=perfomance HEXEC_PERF_THRESHOLD_US=many HEXEC_LOG=hexec=loud \
    TRACEPARENT=00-1 HOLOGRAM_PERF_DIRECTIVES=off hexec doctor | grep -E '^  (profile|threshold_us|filter|perf_filter|traceparent) '
HEXEC_LOG=hexec=loud hexec doctor > whole || echo "exit code $?"
tail -n 1 whole
