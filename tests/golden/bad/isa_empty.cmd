: > empty.yaml
hexec isa --isa empty.yaml
