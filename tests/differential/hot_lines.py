#!/usr/bin/env python3
"""Sampled compiled code: it computes the same, and the samples are in the lines that take the time.

usage: hot_lines.py HEXEC SOURCE_DIR
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

SAMPLES = 200 # are enough to tell three quarters from one half
RUNS = 200    # at most, until there are so many
SLOW = """program: slow
launch: {grid: [64], block: [256]}
buffers:
  - {name: y, type: f32, count: 16384}
code: |
      mov.u32   r0, %ctaid.x
      mov.u32   r3, %tid.x
      mad.u32   r0, r0, 256, r3
      mov.f32   r2, 1.5
      mov.u32   r1, 2000
  again:
      rsqrt.f32 r2, r2
      sin.f32   r2, r2
      add.f32   r2, r2, 2.0
      loop.u32  r1, again
      stg.f32   [$y + r0*4], r2
      exit
"""
HOT = ("rsqrt.f32", "sin.f32", "add.f32", "loop.u32")


def run(hexec, program, *options):
    return subprocess.run([hexec, "run", str(program), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)


def found(hexec, program):
    done = run(hexec, program, "--hot-lines", "--json", "--workers", "2")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["hot_lines"]


def check_programs(hexec, folder):
    for program in sorted(folder.glob("*.yaml")):
        done = run(hexec, program, "--hot-lines", "--verify")
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"


def check_document(document):
    lines = document["lines"]
    assert sum(line["samples"] for line in lines) == document["compiled_samples"]
    assert [line["samples"] for line in lines] == sorted((line["samples"] for line in lines), reverse=True)
    for line in lines:
        assert math.isclose(line["share"], line["samples"] / document["compiled_samples"], rel_tol=1e-4), line
        assert 0 <= line["share_least"] < line["share"] < line["share_most"] <= 1 or line["share"] == 1, line


def check_places(hexec, folder):
    program = pathlib.Path(folder) / "slow.yaml"
    program.write_text(SLOW)
    text = SLOW.split("\n")
    hot = every = 0
    for _ in range(RUNS):
        document = found(hexec, program)
        check_document(document)
        for line in document["lines"]:
            assert line["kernel"] == "slow" and text[line["line"] - 1].strip() == line["text"], line
            hot += line["samples"] if line["text"].startswith(HOT) else 0
        every += document["compiled_samples"]
        if every >= SAMPLES:
            break
    assert every >= SAMPLES, f"{every} samples"
    assert hot > 0.75 * every, f"{hot} of {every}"
    interpreted = run(hexec, program, "--hot-lines", "--tier", "interpreter")
    assert "hot      no sample was in compiled code" in interpreted.stdout, interpreted.stdout


def main():
    hexec, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check_places(hexec, folder)
    check_programs(hexec, pathlib.Path(source) / "programs")


main()
