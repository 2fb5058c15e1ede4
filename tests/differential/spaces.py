#!/usr/bin/env python3
"""Generic addresses and functions that call themselves run compiled as they do interpreted.

usage: spaces.py HEXEC

Threads load and store by generic addresses of local, shared, global and constant memory: all of one space, of several at once, under
guards, in loops, vectors and narrow elements, in kernels that use the stack and that do not; in functions that call themselves, at
different depths, with instructions of warps, barriers and floats (among them NaNs) in between and between the calls. In some an address is wrong. Buffers,
counts, messages and exit codes must be the same. Fails also when a launch has not run compiled."""
import random
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

SEEDS = 24
SPACES = ("local", "shared", "global", "const")
HEAD = """program: spaces
launch: {grid: [3], block: [BLOCK]}
shared:
  - {name: tile, type: u32, count: 512}
local:
  - {name: mine, type: u32, count: 16}
constants:
  - {name: fixed, type: u32, values: [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]}
buffers:
  - {name: x, type: u32, count: 4096, fill: random, seed: SEED}
  - {name: nan, type: u32, access: read, values: [0x3fc00000, 0x7fc12345, 0xc0200000, 0x3e800000]}
  - {name: y, type: u32, count: 4096, access: write}
code: |
      mov.u32      r0, %tid.x
      mov.u64      r40, %gtid
      cvt.u32.u64  r1, r40
      and.u32      r2, r0, 127
      mov.u32      r5, r1
      mov.u64      r70, mine
      cvta.local.u64 r70, r70
      mov.u64      r72, tile
      cvt.u64.u32  r74, r2
      mad.u64      r72, r74, 16, r72
      cvta.shared.u64 r72, r72
      mov.u64      r76, $x
      and.u32      r3, r1, 63
      cvt.u64.u32  r74, r3
      mad.u64      r76, r74, 64, r76
      mov.u64      r78, fixed
      cvta.const.u64 r78, r78
      mov.u32      r6, 0
  fill:                                    # own local memory
      mad.u32      r7, r6, 7, r1
      stl.u32      [mine + r6*4], r7
      add.u32      r6, r6, 1
      setp.lt.u32  p0, r6, 16
  @p0 bra          fill
      st.u32       [r72], r5
      st.u32       [r72 + 4], r1
"""
TAIL = """      stg.u32      [$y + r1*4], r5
      exit
  walk:                                    # sums r5 and r24, over r10 levels
      setp.eq.u32  p8, r10, 0
  @p8 ret
STACK
      ld.u32       r21, [r60]
      add.u32      r5, r5, r21
      and.u32      r22, r10, 3
      ldg.f32      r23, [$nan + r22*4]
      add.f32      r24, r24, r23
      sub.u32      r10, r10, 1
MIDDLE
      and.u32      r22, r5, 1
      setp.eq.u32  p9, r22, 0
  @p9 call         walk
      mad.u32      r5, r5, 5, r24
      setp.lt.u32  p10, r10, 3
  @p10 ret
      sub.u32      r10, r10, 2
      call         walk
      add.u32      r5, r5, r10
      ret
  meet:                                    # the interpreter's barrier; what is behind it is compiled
      st.u32       [r72 + 8], r5
      bar.sync     0
      ld.u32       r28, [r72 + 8]
      xor.u32      r5, r5, r28
      add.u32      r5, r5, r1
      ret
"""


def access(rng, number, with_faults):
    """Lines that load or store by an address in r60."""
    lines, registers = [], {"local": "r70", "shared": "r72", "global": "r76", "const": "r78"}
    chosen = rng.choice(SPACES)
    lines.append(f"mov.u64 r60, {registers[chosen]}")
    mixed = rng.random() < 0.3
    if mixed:
        other = rng.choice(SPACES)
        chosen = "const" if "const" in (chosen, other) else chosen
        lines += [f"and.u32 r30, r5, {rng.choice((1, 3, 7))}", "setp.eq.u32 p4, r30, 1", f"@p4 mov.u64 r60, {registers[other]}"]
    if rng.random() < 0.4 and chosen == "local" and not mixed:
        lines += ["and.u32 r31, r5, 7", "cvt.u64.u32 r62, r31", "mad.u64 r60, r62, 4, r60"]
    if with_faults and rng.random() < 0.5:
        lines += [f"setp.eq.u32 p5, r1, {rng.randrange(100)}", f"@p5 add.u64 r60, r60, {rng.choice((2, 1 << 30))}"]
    guard = rng.choice(("", "", "@p6 ", "@!p6 "))
    lines.append(f"setp.gt.u32 p6, r2, {rng.choice((0, 5, 31, 200))}")
    kind = rng.choice(("load", "load", "store", "narrow", "vector", "atomic"))
    if kind in ("store", "atomic") and chosen == "const":
        kind = "load"
    if kind == "load":
        lines += ["mov.u32 r32, 1", f"{guard}ld.u32 r32, [r60 + {4 * rng.randrange(4)}]", "xor.u32 r5, r5, r32"]
    elif kind == "store":
        lines.append(f"{guard}st.{rng.choice(('u32', 'u16', 'u8'))} [r60], r5")
    elif kind == "narrow":
        lines += ["mov.u32 r32, 1", f"{guard}ld.{rng.choice(('u8', 'i8', 'i16'))} r32, [r60 + {2 * rng.randrange(4)}]", "add.u32 r5, r5, r32"]
    elif kind == "vector":
        lines += [f"mov.u32 r{r}, 2" for r in (32, 33, 34, 35)]
        lines += [f"{guard}ld.{rng.choice(('v2', 'v4'))}.u32 r32, [r60]", "add.u32 r5, r5, r32", "xor.u32 r5, r5, r33"]
    else:
        lines += ["mov.u32 r33, 5", f"{guard}atom.add.u32 r32, [r60], r33"]
    if rng.random() < 0.4:
        label = f"again{number}"
        lines = [f"mov.u32 r36, {rng.randrange(2, 5)}", f"{label}:", *lines, "sub.u32 r36, r36, 1", "setp.ne.u32 p7, r36, 0", f"@p7 bra {label}"]
    return lines


def written(lines):
    return "".join(f"  {line}\n" if line.endswith(":") else f"      {line}\n" for line in lines)


def program_of(seed):
    rng = random.Random(seed)
    with_faults = seed % 6 == 5
    lines = [line for number in range(rng.randrange(3, 7)) for line in access(rng, number, with_faults)]
    lines += ["mov.u64 r60, r70", "mov.u32 r24, 0", f"and.u32 r10, r1, {rng.choice((3, 7))}", "call walk", "and.u32 r10, r5, 3", "call walk", "call meet", "and.u32 r10, r2, 3", "call walk"]
    stack = "      alloca.u64   r64, 32\n      stl.u32      [r64], r5\n      cvta.local.u64 r64, r64\n      ld.u32       r25, [r64]\n" \
            "      add.u32      r5, r5, r25" if seed % 2 else ""
    middle = rng.choice(("", "", "      mov.u32 r26, 1\n      shfl.down.u32 r27, r5, r26\n      add.u32 r5, r5, r27",
                         "      vote.any p11, p9\n  @p11 add.u32 r5, r5, 1"))
    text = HEAD.replace("BLOCK", rng.choice(("64", "96", "128", "33"))).replace("SEED", str(seed + 1))
    return text + written(lines) + TAIL.replace("STACK\n", stack + "\n" if stack else "").replace("MIDDLE\n", middle + "\n" if middle else "")


def main():
    hexec = sys.argv[1]
    failures = faults = 0
    with tempfile.TemporaryDirectory() as name:
        for faulty, differs in both_tiers.compare(hexec, name, range(SEEDS), program_of):
            faults += faulty
            failures += differs
            said = both_tiers.said(hexec, name)
            if not faulty and " ran compiled" not in said:
                print(f"did not run compiled: {said}")
                failures += 1
    print(f"{SEEDS} launches, {faults} with a fault, {failures} failures")
    return failures > 0 or faults == 0 or faults > SEEDS // 3


sys.exit(main())
