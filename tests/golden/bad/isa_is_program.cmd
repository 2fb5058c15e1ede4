hexec isa --isa good.yaml
