hexec check yaml_second_document.yaml
