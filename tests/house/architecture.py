#!/usr/bin/env python3
"""docs/architecture.md names what is there: each path in backquotes exists; in tables with a column `function`, each name
in that column stands in a file of the column `file` beside it: as a function if that is C, as a word if not. All modules
are in its table, in their order."""
import re

import house
from functions import functions

PATH = re.compile(r"(?:src|include|tools|tests|docs|isa|programs)(?:/[\w.-]+)+")
problems = []


def quoted(text):
    return re.findall(r"`([^`\n]+)`", text)


def names_in(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".c", ".h"):
        return {name for name, _, _ in functions(text, path.suffix)}
    return set(re.findall(r"\w+", text))


def check_row(files, names):
    paths = [house.ROOT / name for name in quoted(files) if (house.ROOT / name).is_file()]
    known = set().union(*[names_in(path) for path in paths])
    problems.extend(f"{name}: not in {files}" for name in quoted(names) if name not in known)
    return len(quoted(names))


text = (house.ROOT / "docs/architecture.md").read_text(encoding="utf-8")
named = [name for name in quoted(text) if PATH.fullmatch(name)]
problems.extend(f"{name}: no such file or folder" for name in named if not (house.ROOT / name).exists())
head, found = [], 0
for line in text.splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
    head = cells if cells and not head else head if cells else []
    if "function" in head and cells not in ([], head) and not cells[0].startswith("---"):
        found += check_row(cells[head.index("file")], cells[head.index("function")])
rows = re.findall(r"^\| `src/(\w+)` \|", text, re.MULTILINE)
if rows != house.modules():
    problems.append(f"the table of modules has {rows}, src/CMakeLists.txt {house.modules()}")
if len(named) < 40 or found < 30:
    problems.append(f"only {len(named)} paths and {found} functions are named: the page is not read as it is written")
house.finish("architecture", problems)
