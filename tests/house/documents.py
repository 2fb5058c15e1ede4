#!/usr/bin/env python3
"""usage: documents.py HEXEC [--record]

Runs what the documents show. Each command of a `console` block (a line that starts with "$ ") runs in a scratch copy if it
calls hexec or tools/run, or makes or shows a file with printf, sed or grep. It must print the lines below it and find all
its files; numbers that differ from run to run are replaced as in the golden tests. Links between documents, and pictures,
must exist. --record writes the output anew."""
import pathlib
import re
import subprocess
import sys
import tempfile

import house

sys.path.insert(0, str(house.ROOT / "tests/golden"))
import run as golden  # noqa: E402

HEXEC = pathlib.Path(sys.argv[1]).resolve()
RECORD = "--record" in sys.argv
RUN = re.compile(r"\$ ((.*[ ;])?(hexec|tools/run)|printf|sed|grep) ")
MISSING = re.compile(r"No such file or directory|there is no file")
TRIES = 3
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
problems = []


def output_of(command, work):
    command = re.sub(r"^tools/run\b", "hexec", command)
    result = subprocess.run(["sh", "-c", command], cwd=work, env=golden.environment(work, HEXEC), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=golden.LIMIT, check=False)
    return result.stdout.decode("utf-8", "replace")


def differs(now, shown, work):
    return golden.normalise(now.encode(), work) != golden.normalise(shown.encode(), work)


def check_block(block, path, work):
    """The block with its output renewed; a command that changes the machine or builds keeps what stands there."""
    renewed = []
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
        command, _, shown = part.partition("\n")
        if not RUN.match(command):
            renewed.append(part)
            continue
        now = output_of(command[2:], work)
        if MISSING.search(now):
            problems.append(f"{path.name}: {command}\n--- misses a file\n{now}")
        for _ in range(TRIES - 1): # figures that are measured can differ more than is replaced
            if RECORD or not differs(now, shown, work):
                break
            print(f"{path.name}: {command}\n--- printed another text, and is run again\n{now}")
            now = output_of(command[2:], work)
        if not RECORD and differs(now, shown, work):
            problems.append(f"{path.name}: {command}\n--- shown\n{shown}--- printed\n{now}")
        renewed.append(f"{command}\n{now}" if RECORD else part)
    return "".join(renewed)


def check_links(text, path):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not (path.parent / target).exists():
            problems.append(f"{path.relative_to(house.ROOT)}: link to {target}, which does not exist")


for path in sorted([*house.ROOT.glob("*.md"), *house.ROOT.glob("docs/**/*.md")]):
    text = path.read_text(encoding="utf-8")
    check_links(text, path)
    with tempfile.TemporaryDirectory(prefix="hexec-documents-") as work:
        for folder in ("programs", "isa"):
            pathlib.Path(work, folder).symlink_to(house.ROOT / folder)
        renewed = BLOCK.sub(lambda found: check_block(found[1], path, work), text)
    if RECORD and renewed != text:
        path.write_text(renewed, encoding="utf-8")
registers = set(re.findall(r'X\(\w+, "([\w.]+)", \w+\)', house.ROOT.joinpath("src/isa/isa.h").read_text(encoding="utf-8")))
listed = house.ROOT.joinpath("docs/programs.md").read_text(encoding="utf-8")
problems += [f"docs/programs.md: the table of special registers has no `%{name}`" for name in sorted(registers)
             if f"`%{name}`" not in listed]
if len(registers) < 30:
    problems.append("src/isa/isa.h: the special registers were not found")
house.finish("documents", problems)
