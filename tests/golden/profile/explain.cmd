hexec profile --explain coalescing_efficiency
hexec profile --explain p99_ns
