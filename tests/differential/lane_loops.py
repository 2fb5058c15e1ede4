#!/usr/bin/env python3
"""Loops that lanes of compiled code go through one after the other give what the interpreter gives.

usage: lane_loops.py HEXEC

Kernels of one loop are made from a seed: loads by an index or an address from anywhere, of elements of 1 to 8 bytes, sums
of integers and floats (with NaNs, whose bits are seen behind the loop), limits that are the same for all threads or not,
counters that are signed, go up by 1 or by more, down to 0, or end at a number, addresses that go up, loops that are left
by a jump out of them, more rounds than a gang may go at a stretch,
threads that do not enter the loop, elements beside each other. In some an index leaves its buffer in one thread. Buffers,
counts, messages and exit codes must be those of the interpreter. Fails also when hardly a loop was compiled so."""
import random
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

SEEDS = 40
COUNT = 8192
HEAD = """      mov.u32      r0, %tid.x
      mov.u32      r1, %ctaid.x
      mov.u32      r2, %ntid.x
      mad.u32      r3, r1, r2, r0
"""


def numbers(rng):
    """Indices, elements (some are NaNs), where loops begin and end."""
    index = [rng.randrange(COUNT) for _ in range(COUNT)]
    value = [rng.choice((0x7FC12345, 0x7F800000, 0xFF800000)) if rng.random() < 0.01
             else struct.unpack("<I", struct.pack("<f", rng.uniform(-2, 2)))[0] for _ in range(COUNT)]
    return index, value


def bounds(rng, threads, longest):
    begin = [rng.randrange(COUNT // 2) for _ in range(threads)]
    end = [b + (rng.randrange(1, longest) if rng.random() < 0.9 else -rng.randrange(3)) for b in begin]
    return begin, [max(e, 0) for e in end]


def loop_of(rng):
    """Lines of a loop over r10 up to r11, sums r4 and r5; r9 is what was loaded last."""
    lines = []
    kinds = [rng.choice(("index", "value", "x", "narrow", "address", "wide")) for _ in range(rng.randrange(1, 3))]
    lines += ["ldg.u32      r20, [$index + r10*4]", "ldg.f32      r21, [$value + r20*4]", "add.u32      r4, r4, r20"]
    for number, kind in enumerate(kinds):
        row = f"r{22 + number}"
        if kind == "index":
            lines += [f"ldg.u32      {row}, [$index + r20*4]", f"xor.u32      r4, r4, {row}"]
        elif kind == "value":
            lines += [f"ldg.f32      {row}, [$value + r10*4 + 4]", f"fma.f32      r5, {row}, r21, r5"]
        elif kind == "x":
            lines += [f"ldg.i32      {row}, [$index + r10*4]", f"max.i32      r4, r4, {row}"]
        elif kind == "narrow":
            lines += [f"ldg.{rng.choice(('u8', 'i8'))}       {row}, [$index + r20]", f"add.u32      r4, r4, {row}"]
        elif kind == "address":
            lines += [f"madw.u32     r{40 + 2 * number}, r20, 4, r38", f"ldg.f32      {row}, [r{40 + 2 * number}]",
                      f"add.f32      r5, r5, {row}"]
        else:
            lines += ["and.u32      r30, r20, 0xfffffffe", f"ldg.u64      r{40 + 2 * number}, [$value + r30*4]",
                      f"cvt.u32.u64  {row}, r{40 + 2 * number}", f"add.u32      r4, r4, {row}"]
    lines.append(rng.choice(("add.f32      r5, r5, r21", "mul.f32      r5, r5, r21", "xor.u32      r5, r5, r21")))
    step = rng.choice((1, 1, 1, 2))
    add = f"add.u32      r10, r10, {step}"
    lines.insert(len(lines) if rng.random() < 0.7 else 3, add)
    if step == 1 and rng.random() < 0.3:
        compare = "ne.u32"
    else:
        compare = rng.choice(("lt.u32", "lt.i32", "lt.u32"))
    limit = rng.choice(("r10, r11", "r10, r11", "r10, 1900"))
    if rng.random() < 0.3: # as compilers make it
        lines = [line.replace("[$index + r10*4]", "[r60]") for line in lines]
        lines += ["add.u64      r60, r60, 4", "add.i32      r13, r13, -1"]
        compare, limit = "ne.i32", "r13, 0"
    jumps_out = rng.random() < 0.4
    if jumps_out:
        compare = compare.replace("ne", "eq").replace("lt", "ge")
    lines += [f"setp.{compare}  p0, {limit}"]
    if rng.random() < 0.3:
        lines += ["mov.u32      r12, 1"] # the predicate is not read at once
    guard = "@p0"
    if rng.random() < 0.3: # the other way round
        other = {"ne": "eq", "eq": "ne", "lt": "ge", "ge": "lt"}
        lines = [line.replace(f"setp.{compare}", f"setp.{other[compare[:2]]}{compare[2:]}") for line in lines]
        guard = "@!p0"
    lines += [f"{guard} bra          done", "bra          next"] if jumps_out else [f"{guard} bra          next"]
    return lines, compare[:2] in ("ne", "eq")


def program(seed):
    rng = random.Random(seed)
    grid, block = rng.choice(((2, 64), (3, 100), (1, 256), (1, 7)))
    threads = grid * block
    index, value = numbers(rng)
    lines, is_exact = loop_of(rng)
    begin, end = bounds(rng, threads, rng.choice((4, 40, 3500)))
    if is_exact: # ends at a number that is reached
        lines = [line.replace("1900", "r11") for line in lines]
        end = [max(b + 1, e) for b, e in zip(begin, end)]
    lines = [line.replace("1900", f"{COUNT // 2}") for line in lines]
    if rng.random() < 0.2: # beside each other
        begin = [thread % (COUNT // 2) for thread in range(threads)]
    if rng.random() < 0.25: # one leaves its buffer
        index[rng.randrange(COUNT)] = rng.choice((COUNT, 0xFFFFFFFF, 1 << 30))
    skip = "  @p1 bra          done\n" if rng.random() < 0.5 and not is_exact else ""
    body = "\n".join(f"      {line}" for line in lines)
    code = f"""{HEAD}      mov.u64      r38, $value
      ldg.u32      r10, [$begin + r3*4]
      ldg.u32      r11, [$end + r3*4]
      mov.u32      r4, 0
      mov.f32      r5, 1
      shl.u32      r61, r10, 2
      cvt.u64.u32  r60, r61
      add.u64      r60, r60, $index
      sub.u32      r13, r11, r10
      mov.u32      r12, 0
      setp.ge.u32  p1, r10, r11
{skip}  next:
{body}
  done:
      add.u32      r4, r4, r10
      add.u32      r4, r4, r12
      stg.u32      [$y + r3*8], r4
      stg.u32      [$y + r3*8 + 4], r5
      exit
"""
    return (f"program: loops\nlaunch: {{grid: [{grid}], block: [{block}]}}\nbuffers:\n"
            f"  - {{name: begin, type: u32, access: read, values: {begin}}}\n"
            f"  - {{name: end, type: u32, access: read, values: {end}}}\n"
            f"  - {{name: index, type: u32, access: read, values: {index}}}\n"
            f"  - {{name: value, type: u32, access: read, values: {value}}}\n"
            f"  - {{name: y, type: u32, count: {2 * threads}}}\ncode: |\n{code}")


def main():
    hexec, found, alone, faults = sys.argv[1], 0, 0, 0
    seeds = [int(seed) for seed in sys.argv[2:]] or range(SEEDS)
    with tempfile.TemporaryDirectory() as name:
        for has_fault, differs in both_tiers.compare(hexec, name, seeds, program, plain=False):
            faults += has_fault
            found += differs
            alone += "lane_round" in both_tiers.code_of(hexec, name)
    print(f"{len(seeds)} loops, {alone} of lanes one after the other, {faults} with a fault, {found} differences")
    return found > 0 or (len(seeds) == SEEDS and (alone < SEEDS // 2 or not 0 < faults < SEEDS // 2))


sys.exit(main())
