hexec isa --isa nowhere.yaml
