#!/usr/bin/env python3
"""Is the code that runs kernels the same with tracing and without?

Usage: same_code.py BUILD OTHER_BUILD

Compares, of two builds by one compiler with the same options but for HEXEC_TRACING, the machine code and the
relocations of every handler, and of the driver loop without listeners. Without spans tracing must cost nothing, and
that is proven here rather than measured. Exit code 1 when something differs, 2 when there is nothing to compare.
"""
import pathlib
import re
import subprocess
import sys

HANDLERS = "src/CMakeFiles/hexec_handlers_*.dir/exec/**/*.c.o"
DRIVER = "src/CMakeFiles/hexec_exec.dir/exec/driver.c.o"


def disassembly(path, *options):
    """The code of an object file: instructions and relocations, without the lines that name the file."""
    run = subprocess.run(["objdump", "--disassemble", "--reloc", "--no-show-raw-insn", *options, str(path)],
                         check=True, capture_output=True, text=True)
    return [line for line in run.stdout.splitlines() if "file format" not in line]


def plain_loop(path):
    """Both forms of the loop, by the name of their function; addresses in the object depend on its other functions."""
    lines = []
    for line in disassembly(path, "--disassemble=plain"):
        line = re.sub(r"^\s*[0-9a-f]+:\s*", "", line)
        line = re.sub(r"^[0-9a-f]{16} ", "", line)
        lines.append(re.sub(r"\b[0-9a-f]+ (<plain\+0x[0-9a-f]+>)", r"\1", line))
    return lines


def main():
    builds = [pathlib.Path(argument) for argument in sys.argv[1:3]]
    if len(builds) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    objects = sorted(path.relative_to(builds[0]) for path in builds[0].glob(HANDLERS))
    drivers = [build / DRIVER for build in builds]
    missing = [path for path in [builds[1] / path for path in objects] + drivers if not path.exists()]
    if not objects or missing:
        print(f"nothing to compare: {missing[0] if missing else HANDLERS} is not there", file=sys.stderr)
        return 2
    different = [str(path) for path in objects if disassembly(builds[0] / path) != disassembly(builds[1] / path)]
    loops = [plain_loop(path) for path in drivers]
    if not any("call" in line for line in loops[0]):
        print(f"nothing to compare: {drivers[0]} has no function 'plain' that calls handlers", file=sys.stderr)
        return 2
    if loops[0] != loops[1]:
        different.append(f"{DRIVER}: plain")
    for name in different:
        print(f"differs: {name}")
    print(f"{len(objects)} objects of handlers and the plain loop, {len(different)} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
