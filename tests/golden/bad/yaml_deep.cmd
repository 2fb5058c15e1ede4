{ printf 'program: '; head -c 100000 /dev/zero | tr '\0' '['; } > deep.yaml
hexec check deep.yaml 2>&1 >/dev/null | cut -c1-200 >&2
hexec check --quiet deep.yaml 2>/dev/null
