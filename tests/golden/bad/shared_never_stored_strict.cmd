hexec check --strict shared_never_stored_strict.yaml
