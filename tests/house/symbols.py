#!/usr/bin/env python3
"""usage: symbols.py LIBHEXEC.a [LIBHEXEC.so TRACING(0|1)]

Of the static library only names that begin with hx_ are global, and these are what the shared one exports. The library never
prints and never ends the process; one that was built without tracing has no code of it."""
import re
import subprocess
import sys

import house

FORBIDDEN = re.compile(r"(v?f?printf|__v?f?printf_chk|v?dprintf|puts|fputs|putchar|putc|perror|_?_?exit|_Exit|quick_exit|abort)$")
TRACING = re.compile(r"(hx_)?(trace|span|ring|sink|filter|callsite)_")
PROBES = "_.stapsdt.base"  # which all objects with probes of sys/sdt.h share, of hexec and of others
static = sys.argv[1]


def names(*command):
    lines = subprocess.run(["nm", *command], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split() for line in lines if len(line.split()) >= 2]


def check_calls():
    for words in names("-u", static):
        if FORBIDDEN.match(words[-1].split("@")[0]):
            problems.append(f"libhexec calls {words[-1]}")


def check_shared(shared, tracing):
    exported = {words[-1].split("@")[0] for words in names("-D", "--defined-only", shared)}
    problems.extend(f"libhexec.so exports {name}" for name in exported if not name.startswith("hx_"))
    problems.extend(f"{name} is in one of libhexec.a and libhexec.so only" for name in exported ^ static_names)
    if len(exported) < 20:
        problems.append(f"libhexec.so exports {len(exported)} names only")
    if tracing:
        return
    defined = [words[-1] for words in names("--defined-only", static) if len(words) == 3]
    problems.extend(f"built without tracing, and has {name}" for name in defined if TRACING.match(name))


static_names = {words[-1] for words in names("--extern-only", "--defined-only", static) if len(words) == 3} - {PROBES}
problems = [f"libhexec.a has the global name {name}" for name in static_names if not name.startswith("hx_")]
if len(sys.argv) > 2:
    check_calls()
    check_shared(sys.argv[2], sys.argv[3] not in ("0", "OFF"))
house.finish("symbols", sorted(set(problems)))
