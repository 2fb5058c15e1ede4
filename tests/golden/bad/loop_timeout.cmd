hexec loop_timeout.yaml --timeout 0.2 --quiet
