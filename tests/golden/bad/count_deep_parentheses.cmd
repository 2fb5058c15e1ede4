{ printf 'program: a\nbuffers:\n  - {name: x, type: f32, count: "'; head -c 50000 /dev/zero | tr '\0' '('; printf '"}\ncode: exit\n'; } > deep.yaml
hexec check deep.yaml 2>&1 >/dev/null | cut -c1-200 >&2
hexec check --quiet deep.yaml 2>/dev/null
