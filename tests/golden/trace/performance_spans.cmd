HEXEC_TRACING_PROFILE=performance hexec one.yaml -q 2>&1 >/dev/null |
    grep performance_span_complete | sed 's/.*"name":"\([a-z_]*\)",\(.*\),"duration_us".*/\1 \2/'
