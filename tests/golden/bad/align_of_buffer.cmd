hexec check align_of_buffer.yaml
