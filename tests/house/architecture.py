#!/usr/bin/env python3
"""The documents name what exists. Each path in backquotes exists, except those with a placeholder (NAME, *). In tables of
docs/architecture.md with a column `function`, each name in that column is in a file of the column `file` beside it: a
function if the file is C, else a word. The table of modules has all modules in their order."""
import re

import house
from functions import functions

PATH = re.compile(r"(?:src|include|tools|tests|docs|isa|programs)(?:/[\w.-]+)+/?")
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


named = 0
for document in [*house.ROOT.glob("*.md"), *house.ROOT.glob("docs/*.md")]:
    for name in quoted(document.read_text(encoding="utf-8")):
        if PATH.fullmatch(name) and not re.search("[A-Z]{4}", name):
            named += 1
            if not (house.ROOT / name).exists():
                problems.append(f"{document.name}: {name}: no such file or folder")
text = (house.ROOT / "docs/architecture.md").read_text(encoding="utf-8")
head, found = [], 0
for line in text.splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
    head = cells if cells and not head else head if cells else []
    if "function" in head and cells not in ([], head) and not cells[0].startswith("---"):
        found += check_row(cells[head.index("file")], cells[head.index("function")])
rows = re.findall(r"^\| `src/(\w+)` \|", text, re.MULTILINE)
if rows != house.modules():
    problems.append(f"the table of modules has {rows}, src/CMakeLists.txt {house.modules()}")
if named < 80 or found < 30:
    problems.append(f"only {named} paths and {found} functions were found: the documents are not parsed as they are written")
house.finish("architecture", problems)
