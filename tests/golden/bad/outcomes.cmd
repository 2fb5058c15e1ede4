hexec check outcomes.yaml; sed '/- {buffer/d' outcomes.yaml > named.yaml; hexec check named.yaml
sed '/name: [abc]/d; /- {buffer/d' outcomes.yaml > long.yaml; echo "  - {name: d, buffer: r, values: [0, 0, 0]}" >> long.yaml; hexec long.yaml --explore 5
