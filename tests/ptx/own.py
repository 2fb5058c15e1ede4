#!/usr/bin/env python3
"""Kernels of programs/opencl and programs/cuda as clang and nvcc compiled them (own/compile.sh): own.py HEXEC. Each file
of PTX must give what its program expects. With --compiled the programs themselves run, which needs a clang."""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent.parent / "programs"
HEXEC = sys.argv[1]
PRINTED = HERE.parent / "programs"  # NAME.out, where a program prints
ORDERS = ((), ("--seed", "7"), ("--plain",))
NEWER = {"clang19-O1": {"radix_sort", "softmax", "tally", "attention", "operations", "shapes"},
         "nvcc-O3-sm_120": {"attention", "scan", "shapes"}}
COMPILERS = {"opencl": {"clang-O0", "clang-O2"}, "cuda": {"clang-O0", "clang-O2", "nvcc-O3-sm_90", "nvcc-G-sm_75"}}


def check(path, name, failures):
    """A program gives what it expects, and prints what it should, in every order."""
    out = PRINTED / f"{name}.out"
    printed = out.read_text(encoding="utf-8") if out.exists() else ""
    for options in ORDERS:
        done = subprocess.run([HEXEC, "run", path, "--verify", "--quiet", *options], capture_output=True, text=True, check=False)
        if done.returncode or done.stdout != printed:
            failures.append(f"{path.name} {' '.join(options)}: exit {done.returncode}\n{done.stdout[-600:]}{done.stderr[-900:]}")


def check_ptx(program, folder, failures):
    """The program with each PTX in place of its source; returns how many there are."""
    text = program.read_text(encoding="utf-8")
    text = re.sub(r"\bfile: (?=\w)", f"file: {program.parent}/", re.sub(r"^options:.*\n", "", text, flags=re.M))
    found = set()
    for ptx in (HERE / "own").glob(f"{program.stem}-*.ptx"):
        path = folder / f"{ptx.stem}.yaml"
        path.write_text(re.sub(r"^source:.*", f"source: {ptx}", text, flags=re.M), encoding="utf-8")
        check(path, program.stem, failures)
        found.add(ptx.stem.removeprefix(f"{program.stem}-"))
    if found != COMPILERS[program.parent.name] | {built for built, names in NEWER.items() if program.stem in names}:
        failures.append(f"{program.stem}: compiled by {sorted(found)}, which own/compile.sh does not make so")


def main():
    failures = []
    compiled = "--compiled" in sys.argv
    programs = [path for folder in COMPILERS for path in sorted((PROGRAMS / folder).glob("*.yaml"))
                if compiled or path.stem != "saxpy"]
    with tempfile.TemporaryDirectory() as name:
        for program in programs:
            if compiled:
                check(program, program.stem, failures)
            else:
                check_ptx(program, pathlib.Path(name), failures)
    print("\n".join(failures) or f"all {len(programs)} agree")
    return len(failures) > 0 or not programs


sys.exit(main())
