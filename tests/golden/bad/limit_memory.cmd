hexec run limit_memory.yaml --max-memory 100
