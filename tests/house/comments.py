#!/usr/bin/env python3
"""Each public function stands below a comment, its own or that of a group without blank lines between; each .c
file of the library and the command line opens with a paragraph that says what it does."""
import re

import house

problems = []
for path in house.sources("include"):
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("HX_API"):
            continue
        above = number - 2
        while above >= 0 and lines[above].strip() and not lines[above].strip().endswith("*/"):
            above -= 1
        if above < 0 or not lines[above].strip().endswith("*/"):
            name = re.search(r"(hx_\w+)\(", " ".join(lines[number - 1:number + 2]))
            problems.append(f"{house.place(path, number)}: {name[1] if name else 'declaration'} has no comment")
for path in house.sources("src", "tools/hexec", endings=(".c",)):
    if not path.read_text(encoding="utf-8").startswith("/*"):
        problems.append(f"{house.place(path, 1)}: the file does not open with a comment")
house.finish("comments", problems)
