#!/usr/bin/env python3
"""usage: symbols.py LIBHEXEC.a LIBHEXEC.so TRACING(0|1)

The library never prints and never ends the process; the shared one exports hx_ names alone; one that was built
without tracing has no code of it."""
import re
import subprocess
import sys

import house

FORBIDDEN = re.compile(r"(v?f?printf|__v?f?printf_chk|v?dprintf|puts|fputs|putchar|putc|perror|_?_?exit|_Exit|quick_exit|abort)$")
TRACING = re.compile(r"(hx_)?(trace|span|ring|sink|filter|callsite)_")
static, shared, tracing = sys.argv[1], sys.argv[2], sys.argv[3] not in ("0", "OFF")


def names(*command):
    lines = subprocess.run(["nm", *command], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split() for line in lines if len(line.split()) >= 2]


problems = []
for words in names("-u", static):
    if FORBIDDEN.match(words[-1].split("@")[0]):
        problems.append(f"libhexec calls {words[-1]}")
exported = [words[-1].split("@")[0] for words in names("-D", "--defined-only", shared)]
problems += [f"libhexec.so exports {name}" for name in exported if not name.startswith("hx_")]
if len(exported) < 20:
    problems.append(f"libhexec.so exports {len(exported)} names only")
if not tracing:
    defined = [words[-1] for words in names("--defined-only", static) if len(words) == 3]
    problems += [f"built without tracing, and has {name}" for name in defined if TRACING.match(name)]
house.finish("symbols", sorted(set(problems)))
