#!/usr/bin/env python3
"""usage: fresh.py HEXEC

Files that hexec makes of its own tables are as it would make them now."""
import subprocess
import sys

import house

MADE = {
    "docs/hexec.1": ["--generate=man"],
    "tools/hexec/completion.bash": ["--generate=bash"],
    "docs/isa.md": ["isa", "--markdown"],
    "docs/metrics.md": ["profile", "--explain", "markdown"],
}
problems = []
for name, arguments in MADE.items():
    now = subprocess.run([sys.argv[1], *arguments], capture_output=True, check=True).stdout
    path = house.ROOT / name
    if not path.exists() or path.read_bytes() != now:
        problems.append(f"{name}: stale; renew it with hexec {' '.join(arguments)} > {name}")
house.finish("fresh", problems)
