hexec run expect_crc_differs.yaml --verify
