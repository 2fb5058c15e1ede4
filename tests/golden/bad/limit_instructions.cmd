hexec run limit_instructions.yaml --max-instructions 100000 --quiet
