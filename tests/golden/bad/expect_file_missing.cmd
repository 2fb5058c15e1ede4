hexec run expect_file_missing.yaml --verify
