#!/usr/bin/env python3
"""Machinery that lies behind a door: files outside a folder include one header of it, and no other."""
import re

import house

DOORS = {"lower/converged": "lower/converged/converged.h", "exec/fast": "exec/fast/fast.h"}
problems = [f"src/{header} is not there" for header in DOORS.values() if not (house.ROOT / "src" / header).is_file()]
for path in house.sources("src", "tools", "tests", endings=(".c", ".h", ".inc", ".def")):
    place = str(path.relative_to(house.ROOT))
    text = path.read_text(encoding="utf-8")
    for include in re.finditer(r'^\s*#\s*include\s+"(([^"]+)/[^"/]+)"', text, re.MULTILINE):
        folder = include[2]
        if folder in DOORS and include[1] != DOORS[folder] and not place.startswith(f"src/{folder}/"):
            line = text.count("\n", 0, include.start(1)) + 1
            problems.append(f"{house.place(path, line)}: includes {include[1]}; outside {folder} only {DOORS[folder]} is included")
house.finish("doors", problems)
