{ printf 'program: a\ncode: |\n  mov.u32 r0, '; head -c 200000 /dev/zero | tr '\0' 'x'; printf '\n  exit\n'; } > long.yaml
hexec check long.yaml 2>&1 >/dev/null | cut -c1-160 >&2
hexec check --quiet long.yaml 2>/dev/null
