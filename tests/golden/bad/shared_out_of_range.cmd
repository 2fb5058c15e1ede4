hexec check shared_out_of_range.yaml
