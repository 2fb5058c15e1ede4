#!/usr/bin/env python3
"""Programs run compiled as they run interpreted.

usage: tiers.py HEXEC ROOT

Runs the programs of programs/ and those that golden tests let fail, interpreted in gangs of 64 lanes and compiled.
Buffers must be what the program expects; counts, messages and exit codes must be the same. Fails also when few of the
programs have run compiled."""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
# what they count depends on how long lanes wait for each other
WAITING = {"spin_lock", "last_block", "work_queue"}
LEAST_COMPILED = 25


def run(hexec, path, *options):
    command = [hexec, "run", str(path), "--verify", "--workers", "1", *options]
    done = subprocess.run(command, cwd=path.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def counts_of(output):
    document = json.loads(output)
    return {name: document[name] for name in ("issues", "thread_instructions", "flops", "loaded_bytes", "stored_bytes")}


def differences(hexec, path):
    interpreted = run(hexec, path, "--gang", "64", "--plain", "--json")
    compiled = run(hexec, path, "--tier", "compiled", "--json")
    if interpreted[0] != compiled[0]:
        yield f"exit code {interpreted[0]} interpreted, {compiled[0]} compiled: {compiled[2]}"
    if interpreted[2] != compiled[2]:
        yield f"messages differ:\n{interpreted[2]}\n{compiled[2]}"
    if interpreted[0] == 0 and path.stem not in WAITING and counts_of(interpreted[1]) != counts_of(compiled[1]):
        yield f"counts differ: {counts_of(interpreted[1])}, {counts_of(compiled[1])}"


def main():
    hexec, root = sys.argv[1], pathlib.Path(sys.argv[2])
    programs = sorted(root.glob("programs/*.yaml")) + sorted(root.glob("tests/golden/bad/fault_*.yaml"))
    failures = compiled = 0
    for path in programs:
        for difference in differences(hexec, path):
            print(f"{path.relative_to(root)}: {difference}")
            failures += 1
        compiled += " ran compiled" in run(hexec, path, "--tier", "compiled", "--verbose")[1]
    print(f"{len(programs)} programs, {compiled} ran compiled, {failures} differences")
    return failures > 0 or compiled < LEAST_COMPILED


sys.exit(main())
