hexec fault_assert.yaml
