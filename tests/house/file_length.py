#!/usr/bin/env python3
"""No source file is over 700 lines; one over 600 is named, to be split before it grows."""
import house

WARN, LIMIT = 600, 700
problems = []
files = house.sources("src", "include", "tools", "tests", endings=(".c", ".h", ".def", ".inc", ".py", ".sh"))
for path in files:
    lines = path.read_text(encoding="utf-8").count("\n")
    if lines > LIMIT:
        problems.append(f"{path.relative_to(house.ROOT)}: {lines} lines, at most {LIMIT} are allowed")
    elif lines > WARN:
        print(f"note: {path.relative_to(house.ROOT)}: {lines} lines")
house.finish("file_length", problems)
