#!/usr/bin/env python3
"""Runs the small programs of tests/check/race under the race checker and compares what it finds with what they say.

A line with "! KIND NAME" in a comment is one of the two accesses of a finding; the other one has "& NAME", or is the same line. A program
without them is clean. "# run: CHECK" names another check than race. Each program runs at several widths of gangs and in drawn orders:
which pairs race does not hang on that."""

import argparse
import pathlib
import re
import subprocess
import sys

FIRST = re.compile(r"!\s+(race\.[a-z_]+)\s+([a-z])\b")
SECOND = re.compile(r"&\s+([a-z])\b")
FINDING = re.compile(r"^.*?:(\d+):\d+: (?:error\[HX\d+\]: )?(race\.[a-z_]+): (.*)$")
NOTE = re.compile(r"^.*?:(\d+):\d+: note(?:\[HX\d+\])?: ")
BRIEF = re.compile(r"; [a-z ]+ in line (\d+)")
VARIANTS = (["--gang", "32"], ["--gang", "64", "--workers", "2"], ["--gang", "256"])


def expected(path):
    first, second = {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for kind, name in FIRST.findall(line):
            first[name] = (kind, number)
        for name in SECOND.findall(line):
            second[name] = number
    return {(kind, *sorted((number, second.get(name, number)))) for name, (kind, number) in first.items()}


def found(text):
    findings, last = set(), None
    for line in text.splitlines():
        match, note = FINDING.match(line), NOTE.match(line)
        if match:
            last = (match.group(2), int(match.group(1)))
            other = BRIEF.search(match.group(3))
            if other:
                findings.add((last[0], *sorted((last[1], int(other.group(1))))))
        elif note and last:
            findings.add((last[0], *sorted((last[1], int(note.group(1))))))
            last = None
    return findings


def check(hexec, path, variant):
    run = re.search(r"^# run: (.*)$", path.read_text(), re.M)
    command = [hexec, "run", str(path), "--check", run.group(1) if run else "race", *variant]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    wanted, seen = expected(path), found(result.stdout)
    if seen != wanted or (result.returncode != 0) != bool(wanted) or "checked: race" not in result.stdout:
        print(f"{' '.join(command)}\n  expected {wanted}\n  found {seen}, exit code {result.returncode}")
        print(result.stdout + result.stderr)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hexec", required=True)
    parser.add_argument("programs", nargs="*", help="names of files; all of them if there is none")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent / "race"
    paths = sorted(p for p in folder.glob("*.yaml") if not arguments.programs or p.stem in arguments.programs)
    if not paths:
        sys.exit("there are no programs")
    wrong = sum(not check(arguments.hexec, path, variant) for path in paths for variant in VARIANTS)
    print(f"{len(paths)} programs, {len(paths) * len(VARIANTS)} runs, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
