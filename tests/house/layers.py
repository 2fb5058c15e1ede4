#!/usr/bin/env python3
"""A module includes its own headers and those of modules to its left; trace and semantics include base alone; the
command line includes the public API and base, the drivers of src/devices the public API alone. The order is that of src/CMakeLists.txt."""
import re

import house

ONLY_BASE = ("trace", "semantics")
DRIVERS = "devices"  # no module: drivers over the public API
order = {module: place for place, module in enumerate(house.modules())}
problems = [] if len(order) > 5 else ["src/CMakeLists.txt: found no modules"]


def check(path, own, allowed):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not include:
            continue
        folder = include[1].split("/")[0] if "/" in include[1] else own
        if folder in order and folder not in allowed:
            problems.append(f"{house.place(path, number)}: {own} must not include {include[1]}")
        if include[1].startswith(".."):
            problems.append(f"{house.place(path, number)}: an include starts at src or include, not at ..")


for path in house.sources("src"):
    own = path.relative_to(house.ROOT / "src").parts[0]
    if house.is_for_kernels(path):
        continue
    if own == DRIVERS:
        check(path, own, {own})
    elif own not in order:
        problems.append(f"{path.relative_to(house.ROOT)}: {own} is no module of src/CMakeLists.txt")
    elif own in ONLY_BASE:
        check(path, own, {own, "base"})
    else:
        check(path, own, {module for module in order if order[module] <= order[own]})
for path in house.sources("tools/hexec"):
    check(path, "tools", {"base"})
for path in house.sources("include"):
    check(path, "include", set())
house.finish("layers", problems)
