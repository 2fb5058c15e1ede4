#!/usr/bin/env python3
"""usage: opencl_cache.py HEXEC PROGRAM CLANG

A program that runs again starts no compiler for its OpenCL C: what clang made is in the user's cache, for programs from source
and for those from the binaries that the driver gives. HEXEC_CLANG is a script here, which notes each start."""
import os
import pathlib
import subprocess
import sys
import tempfile


def compilations(folder, hexec, program):
    """How often the program's run starts clang with OpenCL C. Objects that it reads for their names are none."""
    starts = folder / "starts"
    starts.write_text("", encoding="utf-8")
    environment = dict(os.environ, HEXEC_CACHE=str(folder / "cache"), HEXEC_CLANG=str(folder / "clang"))
    done = subprocess.run([hexec, "app", "--", program], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "all as it should be" not in done.stdout:
        sys.exit(f"opencl_cache: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return starts.read_text(encoding="utf-8").count("-xcl ")


def main():
    hexec, program, clang = (str(pathlib.Path(name).absolute()) for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        script = folder / "clang"
        script.write_text(f'#!/bin/sh\necho "$@" >>{folder}/starts\nexec {clang} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        first = compilations(folder, hexec, program)
        second = compilations(folder, hexec, program)
    print(f"opencl_cache: {first} compilations, then {second}")
    sys.exit(first == 0 or second > 0)


main()
