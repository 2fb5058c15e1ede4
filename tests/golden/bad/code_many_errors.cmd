{ printf 'program: a\ncode: |\n'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do for k in 1 2 3 4 5 6 7 8 9 10; do echo '  bogus'; done; done; } > many.yaml
hexec check many.yaml 2>&1 >/dev/null | tail -n 4 >&2
hexec check --quiet many.yaml 2>/dev/null
