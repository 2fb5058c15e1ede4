# the older prefix, and what stands above it
HOLOGRAM_LOG='[load]=debug' HEXEC_TRACING_FORMAT=compact hexec one.yaml -q 2>&1 | grep -c '^DEBUG program: load close'
HEXEC_LOG=warn HOLOGRAM_LOG='[load]=debug' hexec one.yaml -q
