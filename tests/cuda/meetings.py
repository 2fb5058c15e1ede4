#!/usr/bin/env python3
"""meetings.py HEXEC: lanes of a warp that meet at different instructions exchange what Python says they do: in the arms of branches, in
loops of different arms, in pairs of lanes and whole warps; interpreted, compiled, in gangs of all widths, and in drawn schedules."""
import pathlib
import re
import subprocess
import sys

HEXEC = sys.argv[1]
PROGRAM = pathlib.Path(__file__).parent.parent / "check/sync/meet_elsewhere_clean.cu"
GUARDED = PROGRAM.with_name("meet_guarded_clean.ptx")
WAYS = (["--tier", "interpreter"], ["--tier", "compiled"], ["--gang", "32"], ["--gang", "64"], ["--gang", "256"], ["--seed", "3"],
        ["--seed", "11", "--gang", "128"], ["--workers", "2"], ["--check", "all"], ["--profile"])
FACTOR = (1, 2, 1)  # of what comes from the other lane, by arm


def given(t, arm, step):
    """What thread t gives in each step of meet(), by its arm."""
    return (t + step, t + 4 - step, t if step == 0 else 3 * t)[arm]


def expected(t):
    lane, other = t % 32, t ^ 16
    total = sum(FACTOR[lane % 3] * given(other, other % 32 % 3, step) for step in range(5))
    pair = lane & ~1
    ballot = sum((q > (9 if q & 1 else 4)) << q for q in (pair, pair + 1))
    total += 2 * (t - 1) + ballot if lane & 1 else t + 1 + 2 * ballot
    below = t + 1 if lane < 31 else t
    return (total + 1) % 2**32, below * (0x100000000 if below & 1 else 0x300000000)


def main():
    sums, wides = zip(*(expected(t) for block in range(2) for t in range(96)))
    for way in WAYS:
        command = [HEXEC, "run", PROGRAM, "--grid", "2", "--block", "96", "--arg", "u32:192", "--arg", "u64:192", "--print", "0",
                   "--print", "1", "--quiet", *way]
        run = subprocess.run(command, capture_output=True, text=True)
        found = {int(m[1]): tuple(map(int, m[2].split())) for m in re.finditer(r"^(\d) = (.*)$", run.stdout, re.M)}
        if run.returncode != 0 or found.get(0) != sums or found.get(1) != wides:
            sys.exit(f"{' '.join(way)}: exit code {run.returncode}, {run.stderr}\n{found}")
    guarded = (120,) * 16 + (3,) * 16  # lanes below 16 read lane 20, which gives its number and 100; the others lane 3
    for tier in ("interpreter", "compiled"):
        run = subprocess.run([HEXEC, "run", GUARDED, "--grid", "1", "--block", "32", "--arg", "u32:32", "--print", "0", "--quiet", "--tier",
                              tier], capture_output=True, text=True)
        if run.stdout.split() != ["0", "=", *map(str, guarded)]:
            sys.exit(f"guarded, {tier}: {run.stdout}{run.stderr}")
    print(f"{len(WAYS)} ways agree")


main()
