hexec check no_program_name.yaml
