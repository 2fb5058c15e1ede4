hexec check yaml_unclosed_quote.yaml
