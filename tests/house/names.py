#!/usr/bin/env python3
"""A name tells where it is from: what include/hexec declares starts with hx_; a function that a module's header
declares starts with a noun (arena_init, isa_find), and no other module's names start with that noun."""
import collections
import re

import house

# What handlers call by names that read well beside the rows.
OF_THE_HANDLERS = ("memory_resolve", "special_clock")
FUNCTION = re.compile(r"^(?!static\b|typedef\b|return\b|else\b|#)(?:[\w*]+[\s*]+)+\**(\w+)\([^;{]*\)[^;{]*;", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
problems = []


def functions(path):
    text = path.read_text(encoding="utf-8")
    text = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    depth_free = re.sub(r"\{[^{}]*\}", lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in FUNCTION.finditer(depth_free):
        yield found[1], text.count("\n", 0, found.start(1)) + 1


for path in house.sources("include", endings=(".h",)):
    for name, line in functions(path):
        if not name.startswith(("hx_", "HX_")):
            problems.append(f"{house.place(path, line)}: {name} is public and does not start with hx_")
nouns = collections.defaultdict(dict)
for path in house.sources("src", endings=(".h",)):
    module = path.relative_to(house.ROOT / "src").parts[0]  # a driver in devices is linked to the public API alone
    for name, line in functions(path):
        if module != "devices" and not name.startswith("hx_") and name not in OF_THE_HANDLERS:
            nouns[name.split("_")[0]].setdefault(module, f"{house.place(path, line)}: {name}")
for noun, users in nouns.items():
    if len(users) > 1:
        problems.append(f"{noun}_ is a noun of {' and of '.join(users)}:\n    " + "\n    ".join(users.values()))
house.finish("names", problems)
