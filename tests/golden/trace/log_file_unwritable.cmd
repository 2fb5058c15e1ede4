hexec run one.yaml --quiet --log-file nowhere/log
