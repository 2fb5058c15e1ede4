hexec check loops_too_deep.yaml
