#!/usr/bin/env python3
"""usage: ptx_table.py [--write]: the table of instructions in docs/ptx.md must be what the importer's tables say.

The tables are src/ptx/known.def (all first words of PTX's opcodes, and what hexec does not have), opcodes.def (other names, and what a
function imports), expansions.def (what becomes several instructions) and rewrites.def (what becomes a call); an opcode in none of them is the instruction set's own.
--write puts the table into the page."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "ptx.md"
BEGIN, END = "<!-- instructions, by tests/house/ptx_table.py --write -->\n", "<!-- end of the instructions -->\n"


def read(name):
    text = (ROOT / "src" / "ptx" / name).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def rows_of(name, row):
    """The strings in the first argument of each such row."""
    return re.findall(row + r'\(\s*"([^"]*)"', read(name))


def first_word(opcode):
    return opcode.split(".")[0].split("|")[0].removesuffix("?")


def first_words(patterns):
    """Of each pattern the words that it may begin with: "vadd2|vadd4.s32" has two."""
    return {word.removesuffix("?") for pattern in patterns for word in pattern.split(".")[0].split("|")}


def absent():
    """Opcode: what to do in its place."""
    text = read("known.def")
    cures = dict(re.findall(r'#define (\w+) "([^"]*)"', text))
    found = re.findall(r'PTX_ABSENT\(\s*"([^"]+)",\s*(?:"([^"]*)"|(\w+))\s*\)', text)
    return {opcode: cure or cures[macro] for opcode, cure, macro in found}


def listed(words):
    return ", ".join(f"`{word}`" for word in sorted(words))


def table():
    words = set(re.findall(r'"([^"]+)"', re.search(r"PTX_NAMES\((.*?)\)\n", read("known.def"), re.DOTALL)[1]))
    several, ruled = first_words(rows_of("expansions.def", "PTX_EXPANSION")), set(map(first_word, rows_of("opcodes.def", "PTX_IMPORT")))
    ruled |= first_words(rows_of("rewrites.def", "PTX_REWRITE"))
    names = re.findall(r'PTX_NAME\(\s*"([^"]*)",\s*"([^"]*)"', read("opcodes.def"))
    lacking = absent()
    other = {(old, new) for old, new in names if old != new and not new.startswith(old + ".")}
    gone = {word for word in words if word in lacking} - several - ruled
    own = words - gone - several - ruled - {old for old, _ in other}
    cures = {}
    for opcode, cure in lacking.items():
        cures.setdefault(cure, []).append(opcode)
    lines = ["| how | instructions |", "| --- | --- |", f"| as they are | {listed(own)} |",
             "| under another name | " + ", ".join(f"`{old}` as `{new}`" for old, new in sorted(other)) + " |",
             f"| by their operands, types or modifiers: one instruction or several | {listed((several | ruled) & words)} |"]
    lines += [f"| not there: {cure} | {listed(opcodes)} |" for cure, opcodes in cures.items()]
    return "\n".join(lines) + "\n"


def main():
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    inside, mark, after = rest.partition(END)
    if not mark:
        sys.exit(f"{PAGE}: the marks around the table of instructions are missing")
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
    elif inside != table():
        sys.exit("docs/ptx.md: its table of instructions is not what src/ptx says; run tests/house/ptx_table.py --write")


main()
