hexec run expect_differs.yaml --verify
