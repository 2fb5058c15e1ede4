#!/usr/bin/env python3
"""usage: c_examples.py CC LIBRARY TRACING

The C programs of docs/c-api.md compile without warnings, run, and print what the `text` block behind each one shows; those
that trace only with a LIBRARY that has tracing (TRACING is 1). So do those of docs/examples, called as the comment at their
head shows."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import house

COMPILER, LIBRARY, TRACING = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3] == "1"
DOCUMENT = house.ROOT / "docs/c-api.md"
EXAMPLE = re.compile(r"^```c\n(.*?)^```$.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
problems = []

examples = EXAMPLE.findall(DOCUMENT.read_text(encoding="utf-8"))
if not examples:
    problems.append(f"{DOCUMENT.name} has no example")
# "$ ./name arguments", and the lines of output behind it, up to the end of the comment
CALL = re.compile(r"^ \*     \$ \./\w+(.*)\n((?: \*     [^$].*\n?)+)", re.MULTILINE)


def check(name, code, arguments, shown):
    """Compiles and runs one program."""
    with tempfile.TemporaryDirectory(prefix="hexec-example-") as work:
        source, program = pathlib.Path(work, "example.c"), pathlib.Path(work, "example")
        source.write_text(code, encoding="utf-8")
        build = subprocess.run([COMPILER, "-std=c17", "-Wall", "-Wextra", "-Werror", "-I", house.ROOT / "include", source,
                                LIBRARY, "-o", program], capture_output=True, text=True, check=False)
        if build.returncode != 0:
            problems.append(f"{name} does not compile:\n{build.stderr}")
            return
        environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)}
        ran = subprocess.run([program, *arguments], env=environment, cwd=house.ROOT, capture_output=True, text=True,
                             timeout=60, check=False)
        if ran.returncode != 0 or ran.stdout != shown:
            problems.append(f"{name} ends with {ran.returncode} and prints\n{ran.stdout}{ran.stderr}")


for number, (code, shown) in enumerate(examples, 1):
    if "hx_trace_" not in code or TRACING:
        check(f"{DOCUMENT.name}: example {number}", code, [], shown)
for path in sorted((house.ROOT / "docs/examples").glob("*.c")):
    code = path.read_text(encoding="utf-8")
    call = CALL.search(code)
    if call:
        shown = re.sub(r"^ \*     ", "", call[2].replace(" */", ""), flags=re.MULTILINE)
        check(path.name, code, call[1].split(), shown)
    else:
        problems.append(f"{path.name} does not show how it is called and what it prints")
house.finish("c_examples", problems)
