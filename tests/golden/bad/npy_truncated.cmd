head -c 140 f64.npy > cut.npy
hexec run npy_truncated.yaml
