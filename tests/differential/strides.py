#!/usr/bin/env python3
"""Elements with others between them are loaded compiled as they are interpreted.

usage: strides.py HEXEC [SEED...]

Compiled code loads elements at known distances with vectors that have all bytes between them, and takes its own from those.
Programs are made from a seed: distances of 1 to 9 elements of 1 to 8 bytes, of one row of threads or of rows of a block with
two dimensions, vectors of 2 and 4 elements, offsets, addresses in 32 and 64 bits, loops that go up, shared and global memory,
buffers that end with the last element, guards, indices that wrap when they are extended. In some, threads leave their buffer. Buffers, counts, messages and exit
codes must be those of the interpreter. Fails also when nothing was loaded so, or no program or all had a fault."""
import random
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

SEEDS = 40
BITS = {"u8": 8, "i16": 16, "u32": 32, "f32": 32, "u64": 64, "i64": 64, "f64": 64}


class Program:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.block = rng.choice(((64,), (100,), (256,), (16, 16), (8, 8), (32, 4), (16, 5)))
        self.grid = rng.randrange(1, 4)
        self.threads = 1
        for extent in self.block:
            self.threads *= extent
        self.lines, self.rows, self.buffers, self.shared, self.rounds = [], [], [], [], rng.randrange(1, 4)
        for number in range(rng.randrange(2, 5)):
            self.load(number)
            if rng.random() < 0.6:
                self.wrap()

    def load(self, number):
        """One load, added to the sum r50."""
        rng, name = self.rng, f"x{number}"
        kind, stride, parts = rng.choice(sorted(BITS)), rng.randrange(1, 10), rng.choice((1, 1, 2, 4))
        parts = min(parts, 128 // BITS[kind])
        offset = rng.randrange(3) * parts
        is_shared = rng.random() < 0.25
        threads = self.threads if is_shared else self.threads * self.grid
        thread = "r0" if is_shared else "r1"
        bytes_each = BITS[kind] // 8
        last = (threads - 1) * stride * parts + offset + self.rounds * parts
        count = max(last, 1) + rng.choice((0, 0, 0, 1, 40)) - (rng.random() < 0.06) * rng.randrange(1, 9)
        index = [f"mul.u32      r10, {thread}, {stride * parts}", f"mad.u32      r10, r5, {parts}, r10"]
        row = [f"r{20 + 4 * number + part}" for part in range(parts)]
        self.rows += [f"mov.u{64 if BITS[kind] == 64 else 32}      {register}, 7" for register in row]
        into, vector = row[0], "" if parts == 1 else f".v{parts}"
        at = "r10"
        if rng.random() < 0.5:
            index += ["cvt.u64.u32  r12, r10"]
            at = "r12"
        guard = rng.choice(("", "", "@p0 ", "@p1 "))
        scaled = f"{at}*{bytes_each} + {offset * bytes_each}"
        if is_shared:
            self.shared.append((name, kind, max(count, 1)))
            self.lines += index + self.fill(name, kind, max(count, 1)) + [f"{guard}lds{vector}.{kind} {into}, [{name} + {scaled}]"]
        else:
            self.buffers.append((name, kind, max(count, 1)))
            self.lines += index + [f"{guard}ldg{vector}.{kind} {into}, [${name} + {scaled}]"]
        for part in row:
            self.lines += self.add(kind, part)

    def wrap(self):
        """An index below 0 in some threads or above 32 bits in others, extended to 64 bits, behind a branch or in all threads."""
        rng, thread = self.rng, self.rng.choice(("r0", "r1"))
        signed, by = rng.choice("iuuu"), rng.choice((1, 5, 16, 64, 100))
        extend = rng.choice(([f"cvt.u64.{signed}32  r12, r10"], [f"mulw.{signed}32     r12, r10, 4"],
                             [f"madw.{signed}32     r12, r10, 3, r16"], ["cvt.u64.u32  r12, r10", "add.u64      r12, r12, r17",
                                                                        "and.u64      r12, r12, 0xffffffff"]))
        begin = rng.choice((0, 0, 0, 0x7fffffc0, 0xffffffe0))
        behind = f"behind{len(self.lines)}"
        self.lines += ["mov.u64      r16, r50", f"mov.u64      r17, {rng.choice((1, 0xfffffff0, 0x300000005))}",
                       f"add.u32      r10, {thread}, {begin}", f"sub.u32      r10, r10, {by}"]
        guard = rng.choice(("none", "ge", "ge", "ge", "lt", "some"))
        if guard != "none":
            self.lines += [f"setp.{guard}.u32  p5, {thread}, {by}" if guard != "some" else f"setp.lt.u32  p5, {thread}, 40",
                           f"@!p5 bra         {behind}"]
        self.lines += [*extend, "add.u64      r50, r50, r12", "mul.u64      r50, r50, 9"]
        if guard != "none":
            self.lines += [f"{behind}:"]

    @staticmethod
    def add(kind, row):
        if BITS[kind] == 64:
            return [f"xor.u64      r50, r50, {row}", "mul.u64      r50, r50, 5"]
        signed = "i32" if kind[0] == "i" else "u32"
        return [f"cvt.u64.{signed}  r14, {row}", "add.u64      r50, r50, r14", "mul.u64      r50, r50, 3"]

    @staticmethod
    def fill(name, kind, count):
        """All threads write all that they can of a shared array."""
        store = {8: "u8", 16: "u16", 32: "u32", 64: "u64"}[BITS[kind]]
        value = "r16" if BITS[kind] == 64 else "r15"
        return ["bar.sync     0", "mov.u32      r15, r0", f"fill_{name}:", "cvt.u64.u32  r16, r15",
                f"setp.lt.u32  p2, r15, {count}", f"@p2 sts.{store}  [{name} + r15*{BITS[kind] // 8}], {value}",
                "add.u32      r15, r15, r4", f"setp.lt.u32  p3, r15, {count}", f"@p3 bra          fill_{name}", "bar.sync     0"]

    def text(self):
        shape = ", ".join(map(str, self.block))
        code = ["mov.u32      r0, %tid.x"]
        if len(self.block) == 2:
            code += ["mov.u32      r2, %tid.y", f"mad.u32      r0, r2, {self.block[0]}, r0"]
        code += [f"mov.u32      r4, {self.threads}", "mov.u32      r1, %ctaid.x", "mad.u32      r1, r1, r4, r0",
                 "mov.u64      r50, 0", "mov.u32      r5, 0", "and.u32      r6, r0, 3", "setp.ne.u32  p0, r6, 2",
                 "setp.lt.u32  p1, r0, 70"]
        code += [*self.rows, "next:", *self.lines, "add.u32      r5, r5, 1", f"setp.lt.u32  p4, r5, {self.rounds}", "@p4 bra          next",
                 "stg.u64      [$y + r1*8], r50", "exit"]
        body = "\n".join("  " + line if line.endswith(":") else "      " + line for line in code)
        shared = "".join(f"  - {{name: {name}, type: {kind}, count: {count}}}\n" for name, kind, count in self.shared)
        random_values = {"f32": "min: -5, max: 5", "f64": "min: -5, max: 5", "u8": "max: 255", "i16": "min: -32768, max: 32767"}
        buffers = "".join(f"  - {{name: {name}, type: {kind}, access: read, count: {count}, fill: random, seed: 3, "
                          f"{random_values.get(kind, 'max: 1000000')}}}\n" for name, kind, count in self.buffers)
        return (f"program: strides\nlaunch: {{grid: [{self.grid}], block: [{shape}]}}\n" + ("shared:\n" + shared if shared else "") +
                f"buffers:\n{buffers}  - {{name: y, type: u64, count: {self.threads * self.grid}}}\ncode: |2\n{body}\n")


VECTORS = """program: vectors
launch: {grid: [2], block: [64]}
buffers: [{name: x, type: f32, count: 1024, fill: iota, access: read}, {name: y, type: f32, count: 256}]
code: |
      mov.u32      r0, %ctaid.x
      mov.u32      r1, %tid.x
      mad.u32      r0, r0, 128, r1
      mov.u32      r2, 0
  next:
      ldg.v4.f32   r4, [$x + r0*16]
      add.rn.f32   r4, r4, r5
      add.rn.f32   r6, r6, r7
      add.rn.f32   r4, r4, r6
      stg.f32      [$y + r0*4], r4
      add.u32      r0, r0, 64
      add.u32      r2, r2, 1
      setp.lt.u32  p0, r2, 2
  @p0 bra          next
      exit
"""


def fetches_once(hexec, folder):
    """64 threads load 1 KiB: each of the next round's 16 lines is fetched once, not for each of the four elements. Another 4 are
    those that the next round stores to."""
    interpreted, compiled = both_tiers.launches(hexec, folder, VECTORS, ["y"])
    fetched = both_tiers.code_of(hexec, folder).count("call void @llvm.prefetch")
    if interpreted != compiled or fetched != 20:
        print(f"vectors: {fetched} lines are fetched; {both_tiers.both(interpreted, compiled)}")
    return interpreted == compiled and fetched == 20


def main():
    hexec, found, strided, faults = sys.argv[1], 0, 0, 0
    seeds = [int(seed) for seed in sys.argv[2:]] or range(SEEDS)
    with tempfile.TemporaryDirectory() as name:
        for has_fault, differs in both_tiers.compare(hexec, name, seeds, lambda seed: Program(seed).text()):
            faults += has_fault
            found += differs
            code = both_tiers.code_of(hexec, name)
            strided += "<i32 0, i32 2," in code or "<i32 0, i32 3," in code
        found += not fetches_once(hexec, name)
    print(f"{len(seeds)} programs, {strided} with elements taken from vectors, {faults} with a fault, {found} differences")
    return found > 0 or (len(seeds) == SEEDS and (strided < SEEDS // 4 or not 0 < faults < SEEDS // 2))


sys.exit(main())
