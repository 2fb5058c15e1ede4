HEXEC_PERF_THRESHOLD_US=many hexec one.yaml -q
