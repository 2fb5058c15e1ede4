printf 'abcde' > short.raw
hexec run raw_file_too_short.yaml
