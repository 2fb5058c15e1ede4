#!/usr/bin/env python3
"""Compiled code and the interpreter take turns within a launch.

usage: turns.py HEXEC

Kernels that leave compiled code again and again, and come back: gangs that jump back often between barriers, wait for each
other's flags, pause, have numbers that wrap where they are extended to 64 bits, exchange elements, store past the caches.
Buffers, counts, messages and exit codes must be those of the interpreter. A launch of `--tier auto` that takes long changes
to compiled code on its way: its buffers must be the same, too, and the cache then has the code."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HEAD = """      mov.u32      r0, %tid.x
      mov.u32      r1, %ctaid.x
      mov.u32      r2, %ntid.x
      mad.u32      r3, r1, r2, r0
"""
TAIL = """      stg.u32      [$y + r3*4], r4
      exit
"""
KERNELS = {
    "barriers behind long loops": ("[2]", "[256]", 512, """      mov.u32      r4, 0
      mov.u32      r5, 9
  round:
      sts.u32      [cells + r0*4], r4
      bar.sync     0
      xor.u32      r6, r0, 255
      lds.u32      r7, [cells + r6*4]
      mov.u32      r8, 700
  work:
      mad.u32      r4, r7, 5, r4
      add.u32      r4, r4, r0
      loop.u32     r8, work
      bar.sync     0
      loop.u32     r5, round
"""),
    "pauses of some lanes": ("[2]", "[100]", 200, """      rem.u32      r5, r0, 7
      mov.u32      r4, 1
  again:
      nanosleep
      add.u32      r4, r4, r5
      loop.u32     r5, again
      mul.u32      r4, r4, 3
      setp.gt.u32  p0, r4, 40
  @p0 bra          done
      add.u32      r4, r4, 1000
  done:
"""),
    "a flag of another gang": ("[2]", "[192]", 384, """      mov.u32      r4, 0
      setp.ge.u32  p0, r0, 64
  @p0 bra          last
  wait:
      lds.u32      r4, [cells]
      add.u32      r5, r5, 1
      setp.ne.u32  p1, r4, 77
  @p1 bra          wait
      bra          done
  last:
      setp.ne.u32  p0, r0, 191
  @p0 bra          done
      mov.u32      r4, 77
      sts.u32      [cells], r4
      membar.cta
  done:
"""),
    "numbers that wrap": ("[3]", "[128]", 384, """      add.u32      r5, r3, 2147483500
      cvt.i64.i32  r6, r5
      shr.i64      r7, r6, 31
      cvt.u32.u64  r4, r7
      add.u32      r8, r3, 4294967100
      cvt.u64.u32  r9, r8
      shr.u64      r9, r9, 32
      cvt.u32.u64  r9, r9
      add.u32      r4, r4, r9
      madw.i32     r10, r5, 4, r6
      shr.i64      r10, r10, 33
      cvt.u32.u64  r10, r10
      mad.u32      r4, r10, 16, r4
"""),
    "atomics with and without results": ("[2]", "[150]", 300, """      setp.lt.u32  p0, r0, 16
      mov.u32      r5, 0
  @p0 sts.u32      [cells + r0*4], r5
      bar.sync     0
      and.u32      r6, r0, 15
      reds.add.u32 [cells + r6*4], r0
      setp.lt.u32  p1, r0, 99
      mov.u32      r8, 3
  @p1 atoms.add.u32 r4, [cells + r6*4], r8
  @!p1 reds.max.u32 [cells + r6*4], r0
      bar.sync     0
  @p0 lds.u32      r7, [cells + r0*4]
  @p0 add.u32      r4, r4, r7
"""),
}
STREAMED = ("[32768]", "[256]", 8388608 + 64, "      mul.u32      r4, r3, 3\n      add.u32      r3, r3, OFFSET\n")
LONG = """      mov.u32      r4, r3
      mov.u32      r5, 100
  again:
      mad.u32      r4, r4, 1664525, r3
      xor.u32      r4, r4, r0
      loop.u32     r5, again
"""
GRIDS = {"blocks": ("[60000]", "[256]"), "blocks that share gangs": ("[119999, 2]", "[64]")} # the last one of a row alone


def write(folder, kernel):
    grid, block, count, code = kernel
    (folder / "turns.yaml").write_text(
        f"program: turns\nlaunch: {{grid: {grid}, block: {block}}}\n"
        f"shared:\n  - {{name: cells, type: u32, count: 256}}\n"
        f"buffers:\n  - {{name: y, type: u32, count: {count}}}\ncode: |\n{HEAD}{code}{TAIL}")


def run(hexec, folder, *options):
    output = folder / "y"
    command = [hexec, "run", "turns.yaml", "--workers", "1", *options, "--out", f"y={output}"]
    environment = dict(os.environ, HEXEC_CACHE=str(folder / "cache"))
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=200)
    return done.returncode, done.stderr, output.read_bytes() if done.returncode == 0 else b"", done.stdout


def counted(result):
    document = json.loads(result[3]) if result[0] == 0 else {}
    return result[:3] + tuple(document.get(name) for name in ("issues", "thread_instructions"))


def differences(hexec, folder):
    kernels = dict(KERNELS)
    for offset in (0, 1, 16):
        kernels[f"stores past the caches, from element {offset}"] = STREAMED[:3] + (STREAMED[3].replace("OFFSET", str(offset)),)
    for name, kernel in kernels.items():
        write(folder, kernel)
        interpreted = counted(run(hexec, folder, "--gang", "64", "--json"))
        compiled = counted(run(hexec, folder, "--tier", "compiled", "--json"))
        if " ran compiled" not in run(hexec, folder, "--tier", "compiled", "--verbose")[3]:
            yield f"{name}: it was not compiled"
        if interpreted[0] != 0:
            yield f"{name}: {interpreted[1]}"
        # what a wait takes is counted by turns
        if interpreted[:3] != compiled[:3] or ("flag" not in name and interpreted != compiled):
            yield (f"{name}: interpreted {interpreted[0]} {interpreted[1]} {interpreted[3:]}, "
                   f"compiled {compiled[0]} {compiled[1]} {compiled[3:]}; buffers differ: {interpreted[2] != compiled[2]}")


def changes(hexec, folder):
    for name, (grid, block) in GRIDS.items():
        row = "" if "," not in grid else "      mov.u32      r2, %ctaid.y\n      mad.u32      r3, r2, 7679936, r3\n"
        write(folder, (grid, block, 60000 * 256, row + LONG))
        interpreted = run(hexec, folder, "--tier", "interpreter", "--quiet")
        for when in ("within the launch", "with code from before"):
            changed = run(hexec, folder, "--tier", "auto", "--quiet")
            if interpreted != changed or interpreted[0] != 0:
                yield f"auto, {name}, {when}: {changed[0]} {changed[1]}, buffers differ: {interpreted[2] != changed[2]}"
            if not list(folder.glob("cache/code-*")):
                yield f"auto, {name}, {when}: it was not compiled"
        for code in folder.glob("cache/code-*"):
            code.unlink()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = list(differences(sys.argv[1], folder)) + list(changes(sys.argv[1], folder))
    for line in found:
        print(line)
    print(f"{len(KERNELS) + 5} kernels, {len(found)} differences")
    return len(found) > 0


sys.exit(main())
