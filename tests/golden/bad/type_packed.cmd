hexec check type_packed.yaml
