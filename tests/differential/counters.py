#!/usr/bin/env python3
"""Counters of loops that threads leave one after the other are compiled as they are interpreted.

usage: counters.py HEXEC [SEED...]

To threads in a loop a counter is one number, to those that wait behind it one for each. Programs are made from a seed: loops
within loops, left by several jumps or skipped, with counters that go up or down, begin again, are used as addresses in the loop
and in any way behind it, are written on one side of a branch alone, or on both, and loops that count down by themselves. In some,
an address leaves its buffer. Buffers, counts, messages and exit codes must be those of the interpreter. Fails also when the
counter of a plain loop is compared in each thread."""
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True
import both_tiers

SEEDS = 40
COUNT = 4096
PLAIN = """program: plain
launch: {grid: [1], block: [64]}
buffers:
  - {name: x, type: u32, access: read, count: 64, fill: random, seed: 7, max: 40}
  - {name: y, type: u32, count: 64}
code: |2
      mov.u32      r0, %tid.x
      ldg.u32      r1, [$x + r0*4]
      mov.u32      r2, 0
  next:
      setp.eq.u32  p0, r1, r2
  @p0 bra          done
      add.u32      r2, r2, 1
      setp.lt.u32  p0, r2, 30
  @p0 bra          next
  done:
      stg.u32      [$y + r0*4], r2
      exit
"""


class Program:
    """r1: the thread; r2: its value, which all choices hang on; r4: what is summed; r20 and up: counters."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.block, self.grid = self.rng.choice(((64,), (100,), (256,), (16, 16))), self.rng.randrange(1, 3)
        self.counters, self.labels, self.lines = [], 0, []
        self.is_bad = self.rng.random() < 0.15
        for _ in range(self.rng.randrange(1, 3)):
            self.loop(0)
            self.use()

    def label(self):
        self.labels += 1
        return f"at{self.labels}"

    def emit(self, *lines):
        self.lines += lines

    def choice(self):
        """p1: true in some threads, other ones each time."""
        self.emit("mul.u32      r2, r2, 1664525", f"add.u32      r2, r2, {self.rng.randrange(1, 1 << 20) * 2 + 1}", "shr.u32      r3, r2, 20",
                  f"setp.lt.u32  p1, r3, {self.rng.choice((200, 1000, 2500))}")

    def use(self):
        for counter in self.rng.sample(self.counters, min(len(self.counters), 2)):
            kind = self.rng.randrange(4)
            if kind == 0:
                self.emit(f"add.u32      r4, r4, {counter}", "mul.u32      r4, r4, 3")
            elif kind == 1:
                limit = COUNT * 16 - 1 if self.is_bad else COUNT - 1
                self.emit(f"mul.u32      r5, {counter}, {9001 if self.is_bad else 37}", f"and.u32      r5, r5, {limit}", "ldg.u32      r6, [$x + r5*4]",
                          "xor.u32      r4, r4, r6")
            elif kind == 2:
                self.emit(f"add.u32      r5, {counter}, r1", f"and.u32      r5, r5, {COUNT - 1}", "ldg.u32      r6, [$x + r5*4]",
                          "add.u32      r4, r4, r6")
            else:
                self.emit(f"setp.gt.u32  p2, {counter}, 3", "@p2 add.u32   r4, r4, 11")

    def body(self, depth):
        for _ in range(self.rng.randrange(1, 4)):
            kind = self.rng.randrange(6)
            if kind == 0 and depth < 2:
                self.loop(depth + 1)
            elif kind == 1 and self.counters:
                self.arms()
            elif kind == 2:
                self.choice()
                self.emit(f"@p1 add.u32   {self.rng.choice(self.counters)}, {self.rng.choice(self.counters)}, 1")
            else:
                self.use()

    def arms(self):
        there, end = self.label(), self.label()
        counter = self.rng.choice(self.counters)
        self.choice()
        self.emit(f"@p1 bra          {there}")
        self.emit(self.rng.choice((f"mov.u32      {counter}, 2", f"add.u32      {counter}, {counter}, 3", "add.u32      r4, r4, 1")))
        self.emit(f"bra          {end}", f"{there}:")
        self.emit(self.rng.choice((f"mov.u32      {counter}, 5", f"shl.u32      {counter}, {counter}, 1", "add.u32      r4, r4, 2")))
        self.emit(f"{end}:")

    def loop(self, depth):
        rng, begin, end = self.rng, self.label(), self.label()
        counter, rounds = f"r{20 + len(self.counters)}", f"r{60 + self.labels}"
        self.counters.append(counter)
        counts_down = rng.random() < 0.3
        self.emit(f"mov.u32      {counter}, {rng.randrange(4)}", f"mov.u32      {rounds}, {rng.choice((3, 7, 12))}")
        if rng.random() < 0.2:
            self.choice()
            self.emit(f"@p1 bra          {end}")
        self.emit(f"{begin}:")
        if rng.random() < 0.5:
            self.emit(f"add.u32      {counter}, {counter}, {rng.randrange(1, 4)}")
        self.body(depth)
        self.choice()
        self.emit(f"@p1 bra          {end}")
        self.emit(f"add.u32      {counter}, {counter}, 1")
        if counts_down:
            self.emit(f"loop.u32      {rounds}, {begin}")
        else:
            self.emit(f"sub.u32      {rounds}, {rounds}, 1", f"setp.ne.u32  p3, {rounds}, 0", f"@p3 bra          {begin}")
        self.emit(f"{end}:")

    def text(self):
        threads = 1
        for extent in self.block:
            threads *= extent
        code = ["mov.u64      r10, %gtid", "cvt.u32.u64  r1, r10", f"and.u32      r5, r1, {COUNT - 1}", "ldg.u32      r2, [$x + r5*4]",
                "mov.u32      r4, 0"]
        code += [f"mov.u32      {counter}, 0" for counter in self.counters] + self.lines
        for counter in self.counters:
            code += [f"xor.u32      r4, r4, {counter}", "mul.u32      r4, r4, 5"]
        code += ["stg.u32      [$y + r1*4], r4", "exit"]
        body = "\n".join("  " + line if line.endswith(":") else "      " + line for line in code)
        return (f"program: counters\nlaunch: {{grid: [{self.grid}], block: [{', '.join(map(str, self.block))}]}}\nbuffers:\n"
                f"  - {{name: x, type: u32, access: read, count: {COUNT}, fill: random, seed: 7, max: 4000000000}}\n"
                f"  - {{name: y, type: u32, count: {threads * self.grid}}}\ncode: |2\n{body}\n")


def main():
    hexec, found, faults = sys.argv[1], 0, 0
    seeds = [int(seed) for seed in sys.argv[2:]] or range(SEEDS)
    with tempfile.TemporaryDirectory() as name:
        for has_fault, differs in both_tiers.compare(hexec, name, seeds, lambda seed: Program(seed).text()):
            faults += has_fault
            found += differs
        (pathlib.Path(name) / "program.yaml").write_text(PLAIN)
        has_vectors = "icmp ult <64 x i32>" in both_tiers.code_of(hexec, name)
    print(f"{len(seeds)} programs, {faults} with a fault, {found} differences" +
          (", the counter is compared in each thread" if has_vectors else ""))
    return found > 0 or has_vectors or (len(seeds) == SEEDS and not 0 < faults < SEEDS // 2)


sys.exit(main())
