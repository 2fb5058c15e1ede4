HOLOGRAM_TRACING_PROFILE=performance HOLOGRAM_PERF_TRACING=true hexec one.yaml -q 2>&1 | grep -c performance_span_complete
