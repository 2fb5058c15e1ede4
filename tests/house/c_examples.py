#!/usr/bin/env python3
"""usage: c_examples.py CC LIBRARY TRACING

The C programs of docs/c-api.md compile without warnings, run, and print what the `text` block behind each one shows; those
that trace only with a LIBRARY that has tracing (TRACING is 1)."""
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
for number, (code, shown) in enumerate(examples, 1):
    if "hx_trace_" in code and not TRACING:
        continue
    with tempfile.TemporaryDirectory(prefix="hexec-example-") as work:
        source, program = pathlib.Path(work, "example.c"), pathlib.Path(work, "example")
        source.write_text(code, encoding="utf-8")
        build = subprocess.run([COMPILER, "-std=c17", "-Wall", "-Wextra", "-Werror", "-I", house.ROOT / "include", source,
                                LIBRARY, "-o", program], capture_output=True, text=True, check=False)
        if build.returncode != 0:
            problems.append(f"{DOCUMENT.name}: example {number} does not compile:\n{build.stderr}")
            continue
        environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)}
        ran = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60, check=False)
        if ran.returncode != 0 or ran.stdout != shown:
            problems.append(f"{DOCUMENT.name}: example {number} ends with {ran.returncode} and prints\n{ran.stdout}{ran.stderr}")
house.finish("c_examples", problems)
