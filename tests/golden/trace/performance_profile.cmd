HEXEC_TRACING_PROFILE=performance hexec one.yaml -q
