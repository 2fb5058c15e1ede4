#!/usr/bin/env python3
"""Runs the small programs of tests/check/FOLDER under one checker and compares what it finds with what they say.

A line with "! KIND COUNT" in a comment has a finding of that kind, so often; a program without one is clean. The options
of a .cl or .cu file stand in its line "// run:". Each program runs at several widths of gangs, with one worker and with two:
the findings are the same."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

MARK = re.compile(r"(?:#|//).*?!\s+([a-z_]+\.[a-z_]+)\s+(\d+)")
FINDING = re.compile(r"^(.*?):(\d+):\d+: (?:error\[HX\d+\]: )?([a-z_]+\.[a-z_]+): (.*)$")
TIMES = re.compile(r"\((\d+) times\)")
VARIANTS = (["--gang", "32", "--workers", "1"], ["--gang", "64", "--workers", "2"], ["--gang", "256", "--workers", "1"])


def expected(path):
    marks = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for kind, count in MARK.findall(line):
            marks[(number, kind)] = int(count)
    return marks


def options(path):
    found = re.search(r"^// run: (.*)$", path.read_text(), re.M)
    return found.group(1).split() if found else []


def found(text):
    findings = {}
    for line in text.splitlines():
        match = FINDING.match(line)
        if match:
            times = TIMES.search(match.group(4))
            key = (int(match.group(2)), match.group(3))
            findings[key] = findings.get(key, 0) + (int(times.group(1)) if times else 1)
    return findings


def check(hexec, checker, path, variant):
    command = [hexec, "run", str(path), *options(path), "--check", checker, *variant]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    marks = expected(path)
    if found(result.stdout) != marks or (result.returncode != 0) != bool(marks):
        print(f"{' '.join(command)}\n  expected {marks}\n  found {found(result.stdout)}, exit code {result.returncode}")
        print(result.stdout + result.stderr)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hexec", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", help="names of files; all of them if there is none")
    arguments = parser.parse_args()
    checker = arguments.folder.resolve().name
    paths = sorted(p for p in arguments.folder.iterdir() if p.suffix in (".yaml", ".cl", ".cu"))
    paths = [p for p in paths if not arguments.programs or p.stem in arguments.programs]
    if not paths:
        sys.exit("there are no programs")
    if not any(shutil.which(name) for name in ("clang-14", "clang")):
        paths = [p for p in paths if p.suffix == ".yaml"]
    wrong = sum(not check(arguments.hexec, checker, path, variant) for path in paths for variant in VARIANTS)
    print(f"{len(paths)} programs, {len(paths) * len(VARIANTS)} runs, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
