#!/usr/bin/env python3
"""CONTRIBUTING.md names the modules in the order of src/CMakeLists.txt, and tests/unit/MODULE holds test_MODULE*.c."""
import re

import house

text = (house.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
line = re.search(r"^    (\w+(?: < \w+)+)$", text, re.MULTILINE)
named = line[1].split(" < ") if line else []
modules = [*house.modules(), "tools"]
problems = [] if named == modules else [f"CONTRIBUTING.md: the modules are {' < '.join(modules)}"]
units = house.ROOT / "tests/unit"
for folder in sorted(path for path in units.iterdir() if path.is_dir()):
    if folder.name not in modules:
        problems.append(f"{folder.relative_to(house.ROOT)}: {folder.name} is no module")
    for path in folder.glob("test_*.c"):
        if not path.name.startswith((f"test_{folder.name}", "test_handlers")):
            problems.append(f"{path.relative_to(house.ROOT)}: not named after its module, and so not built")
house.finish("modules", problems)
