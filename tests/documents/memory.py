#!/usr/bin/env python3
"""usage: memory.py HEXEC ROOT: runs with little address space end well, or with exit code 5 and a message that says what the
memory was for. Where even --version does not start, the system's loader has the word."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HEXEC, ROOT = sys.argv[1:]
NAMES_IT = re.compile(r"error\[HX1000\]: out of memory (for|while) |error\[HX1603\]: the system refused to make worker thread")
BIG = """program: big
launch: {grid: [4], block: [64]}
buffers:
  - {name: small, type: u32, count: 1}
  - {name: huge, type: u32, count: 10000000}
code: |
  exit
"""
problems = []


def run(kib, *arguments):
    bytes_ = kib * 1024
    return subprocess.run([HEXEC, *arguments], capture_output=True, text=True, errors="replace",
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_)))


with tempfile.TemporaryDirectory() as folder:
    big = os.path.join(folder, "big.yaml")
    pathlib.Path(big).write_text(BIG)
    least = next(kib for kib in range(4000, 200000, 100) if run(kib, "--version").returncode == 0)
    limits = sorted({*range(least, least + 3000, 50), *range(least, 200000, 8000)})
    calls = (["run", f"{ROOT}/programs/matmul_tiled.yaml", "--workers", "1", "--quiet"], ["run", big, "--quiet"],
             ["check", f"{ROOT}/programs/nbody.yaml"])
    for call in calls:
        codes = set()
        for kib in limits:
            done = run(kib, *call)
            codes.add(done.returncode)
            if done.returncode not in (0, 5) or (done.returncode == 5 and not NAMES_IT.search(done.stderr)):
                problems.append(f"{call} in {kib} KiB: exit code {done.returncode}, {done.stderr!r}")
        if codes != {0, 5}:
            problems.append(f"{call}: exit codes {codes}, and not both 0 and 5")
    said = run(least + 20000, "run", big).stderr
    if f"{big}:5:12: error[HX1000]: out of memory for buffer 'huge' of 40000000 bytes" not in said:
        problems.append(f"the buffer is not named: {said}")
for problem in problems:
    print(problem)
sys.exit(bool(problems))
