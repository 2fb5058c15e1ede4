sed 's/{result: within, error: "1.5 ulp"/{result: within/; s/with: approx, why: "PTX states no error"/with: sat, why: "PTX states no error"/' isa/hexec.yaml > mine.yaml
hexec isa --isa mine.yaml
