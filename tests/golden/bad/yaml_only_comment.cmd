hexec check yaml_only_comment.yaml
