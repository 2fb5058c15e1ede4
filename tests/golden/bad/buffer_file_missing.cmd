hexec run buffer_file_missing.yaml
