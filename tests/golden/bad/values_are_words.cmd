hexec check values_are_words.yaml
