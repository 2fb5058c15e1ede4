sed 's/semantics: mad$/semantics: madd/' isa/hexec.yaml > mine.yaml
hexec isa --isa mine.yaml
