hexec run expect_too_many_values.yaml --verify
