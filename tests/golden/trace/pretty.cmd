HEXEC_LOG=hexec::performance=debug HEXEC_PERF_TRACING=1 hexec one.yaml -q 2>&1 | grep "hexec::performance"
