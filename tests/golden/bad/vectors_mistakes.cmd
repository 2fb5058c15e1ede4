hexec test vectors_mistakes.yaml
