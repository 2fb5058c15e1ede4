#!/usr/bin/env python3
"""usage: cub.py HEXEC

Kernels that call CUB, with --check all, against Python. thrust's own kernels, which the host code of the file makes, can all
run. Skipped where there is no CUB."""
import array
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

HEXEC, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(__file__).resolve().with_name("cub.cu")
if not all(pathlib.Path("/usr/include", name).exists() for name in ("cub/cub.cuh", "thrust/sort.h")):
    print("cub: skipped, as libcub-dev and libthrust-dev are not installed")
    sys.exit(77)
draw = random.Random(1)


def run(*words):
    done = subprocess.run([HEXEC, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def check(folder, kernel, grid, given, wanted, is_in_place=False):
    """A kernel gives the wanted numbers, and no checker finds anything."""
    (folder / "in").write_bytes(array.array("i", given).tobytes())
    arguments = ["--arg", f"i32:{len(given)}:@{folder / 'in'}"] + ([] if is_in_place else ["--arg", f"i32:{len(wanted)}"])
    place = 0 if is_in_place else 1
    printed = run("run", SOURCE, "--kernel", kernel, "--grid", str(grid), "--block", "128", *arguments, "--check", "all",
                  "--out", f"{place}={folder / 'out'}", "--quiet")
    found = list(array.array("i", (folder / "out").read_bytes()))
    if found != list(wanted) or "0 findings" not in printed:
        sys.exit(f"cub: {kernel} gives {found[:20]}, not {list(wanted)[:20]}\n{printed[:2000]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        values = [draw.randrange(-1000, 1000) for _ in range(512)]
        few = values[:128]
        check(folder, "sums", 4, values, [sum(values[i:i + 128]) for i in range(0, 512, 128)])
        check(folder, "scans", 1, few, [0, *itertools.accumulate(few)][:128])
        check(folder, "warps", 1, few, [x for i in range(0, 128, 32) for x in itertools.accumulate(few[i:i + 32])])
        check(folder, "sorts", 1, values, sorted(values), True)
    if "cannot run" in (printed := run("check", SOURCE)) or "cub.cu: ok" not in printed:
        sys.exit(f"cub: {printed[:2000]}")
    print("cub: 4 kernels, and thrust's can run")


main()
