hexec run good.yaml --quiet --log-file nowhere/log
