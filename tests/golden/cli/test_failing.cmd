hexec test test_failing.yaml
