hexec check predicate_unknown.yaml
