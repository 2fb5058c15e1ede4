hexec expect_fault_other.yaml --verify
