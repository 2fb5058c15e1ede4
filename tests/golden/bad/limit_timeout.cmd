hexec run limit_timeout.yaml --timeout 0.2
