#!/usr/bin/env python3
"""The order in which basic blocks stand in PTX changes neither results nor how often instructions are issued.

usage: layout.py HEXEC [SEED...]

Kernels of loops, breaks, branches, jump tables and barriers are made from a seed. Each is written as a programmer would write it, and
with its blocks in other orders, as a compiler may leave them: threads that part must still meet where their ways meet, or
instructions are issued for a few threads each. What a thread computes is found once more here, block by block. A kernel with a
loop of two entries must run as well."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SEEDS, THREADS = 12, 96
MASK = 0xFFFFFFFF


class Kernel:
    """Blocks of (lines of PTX, the same for a model, how it ends)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.blocks, self.counters = [], 0
        self.current = self.new()
        self.region(0, None)
        self.end("ret")

    def new(self):
        self.blocks.append({"work": [], "end": None})
        return len(self.blocks) - 1

    def end(self, *how):
        self.blocks[self.current]["end"] = how

    def work(self):
        for _ in range(self.random.randrange(1, 4)):
            self.blocks[self.current]["work"].append((self.random.choice(("mad", "xor", "shift", "tid")),
                                                      self.random.randrange(1, 1000)))

    def region(self, depth, leave):
        """`leave`: where a break or a continue goes, or None."""
        for _ in range(self.random.randrange(1, 4)):
            self.work()
            kind = self.random.choice(("if", "if", "loop", "break", "table", "barrier"))
            if kind == "if" and depth < 4:
                self.branch(depth, leave)
            elif kind == "loop" and depth < 3:
                self.loop(depth)
            elif kind == "break" and leave:
                on = self.new()
                self.end("branch", self.random.randrange(8), self.random.choice(leave), on)
                self.current = on
            elif kind == "table" and depth < 3:
                self.table(depth, leave)
            elif kind == "barrier" and depth == 0:
                self.blocks[self.current]["work"].append(("barrier", 0))
        self.work()

    def branch(self, depth, leave):
        first, second, behind = self.new(), self.new(), self.new()
        self.end("branch", self.random.randrange(8), first, second)
        for arm in (first, second):
            self.current = arm
            self.region(depth + 1, leave)
            self.end("jump", behind)
        self.current = behind

    def table(self, depth, leave):
        arms, behind = [self.new() for _ in range(3)], self.new()
        self.end("table", [*arms, arms[0]])
        for arm in arms:
            self.current = arm
            self.region(depth + 2, leave)
            self.end("jump", behind)
        self.current = behind

    def loop(self, depth):
        """Rounds differ between threads, but for loops that nothing is in."""
        body, last, behind, counter = self.new(), self.new(), self.new(), self.counters
        self.counters += 1
        self.blocks[self.current]["work"].append(("count", (counter, self.random.choice((1, 3, 7)))))
        self.end("jump", body)
        self.current = body
        self.region(depth + 1, (last, behind))
        self.end("jump", last)
        self.current = last
        self.work()
        self.end("again", counter, body, behind)
        self.current = behind

    def text(self, order):
        lines = []
        for place, number in enumerate(order):
            block, following = self.blocks[number], order[place + 1] if place + 1 < len(order) else None
            lines.append(f"B{number}:")
            lines += [line for work in block["work"] for line in ptx_of(work)]
            lines += ptx_end(block["end"], following, number)
        registers = "".join(f".reg .u32 %c{i};" for i in range(self.counters))
        return f""".version 7.0
.target sm_70
.address_size 64
.visible .entry layout(.param .u64 out)
{{
.reg .pred %p;
.reg .u32 %x, %y, %t;
.reg .u64 %a;
{registers}
mov.u32 %t, %tid.x;
mov.u32 %x, %t;
{chr(10).join(lines)}
}}
"""

    def value(self, thread):
        x, counts, at = thread, {}, 0
        while True:
            block = self.blocks[at]
            for kind, number in block["work"]:
                if kind == "mad":
                    x = (x * 1664525 + number) & MASK
                elif kind == "xor":
                    x ^= number
                elif kind == "shift":
                    x = (x >> 3) + number
                elif kind == "tid":
                    x = (x + thread * number) & MASK
                elif kind == "count":
                    counts[number[0]] = (x & number[1]) + 1
            kind, *how = block["end"]
            if kind == "ret":
                return x
            if kind == "jump":
                at = how[0]
            elif kind == "branch":
                at = how[1] if (x >> 5) & 7 < how[0] else how[2]
            elif kind == "table":
                at = how[0][(x >> 7) & 3]
            else:
                counts[how[0]] -= 1
                at = how[1] if counts[how[0]] else how[2]


def ptx_of(work):
    kind, number = work
    return {"mad": lambda: [f"mad.lo.u32 %x, %x, 1664525, {number};"], "xor": lambda: [f"xor.b32 %x, %x, {number};"],
            "shift": lambda: ["shr.u32 %x, %x, 3;", f"add.u32 %x, %x, {number};"],
            "tid": lambda: [f"mad.lo.u32 %x, %t, {number}, %x;"], "barrier": lambda: ["bar.sync 0;"],
            "count": lambda: [f"and.b32 %c{number[0]}, %x, {number[1]};", f"add.u32 %c{number[0]}, %c{number[0]}, 1;"]}[kind]()


def ptx_end(how, following, number):
    kind, *rest = how
    if kind == "ret":
        return ["ld.param.u64 %a, [out];", "mad.wide.u32 %a, %t, 4, %a;", "st.global.u32 [%a], %x;", "ret;"]
    jump = lambda to: [] if to == following else [f"bra B{to};"]  # noqa: E731
    if kind == "jump":
        return jump(rest[0])
    if kind == "branch":
        return ["bfe.u32 %y, %x, 5, 3;", f"setp.lt.u32 %p, %y, {rest[0]};", f"@%p bra B{rest[1]};", *jump(rest[2])]
    if kind == "table":
        return ["bfe.u32 %y, %x, 7, 2;", f"T{number}: .branchtargets {', '.join(f'B{to}' for to in rest[0])};",
                f"brx.idx %y, T{number};"]
    return [f"sub.u32 %c{rest[0]}, %c{rest[0]}, 1;", f"setp.ne.u32 %p, %c{rest[0]}, 0;", f"@%p bra B{rest[1]};", *jump(rest[2])]


def run(hexec, folder, text):
    (folder / "layout.ptx").write_text(text)
    command = [hexec, "run", "layout.ptx", "--grid", "2", "--block", str(THREADS), "--arg", f"u32:{THREADS}", "--json", "--tier",
               "interpreter", "--out", "0=out"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100)
    if done.returncode:
        return None, done.stderr + text
    words = struct.unpack(f"<{THREADS}I", (folder / "out").read_bytes())
    return words, json.loads(done.stdout)["issues"]


def check(hexec, folder, seed):
    kernel = Kernel(seed)
    expected = tuple(kernel.value(thread) for thread in range(THREADS))
    numbers, shuffle = list(range(len(kernel.blocks))), random.Random(seed)
    written = Kernel.text(kernel, natural(kernel))
    words, issues = run(hexec, folder, written)
    if words != expected:
        yield f"seed {seed}: as written: {issues if words is None else 'wrong results'}"
        return
    for _ in range(3):
        rest = numbers[1:]
        shuffle.shuffle(rest)
        words, other = run(hexec, folder, kernel.text([0, *rest]))
        if words != expected:
            yield f"seed {seed}, in another order: {other if words is None else 'wrong results'}"
        elif other > 1.1 * issues:
            yield f"seed {seed}: {issues} issues as written, {other} in another order"


def natural(kernel):
    """Behind each other as their sources: joins behind both arms, what follows a loop behind it."""
    order, seen = [], set()

    def visit(number):
        if number in seen:
            return
        seen.add(number)
        kind, *how = kernel.blocks[number]["end"]
        # what follows first, so that it stands behind what is left
        following = {"jump": how[:1], "branch": list(reversed(how[1:])) if kind == "branch" else [],
                     "table": list(reversed(how[0])) if kind == "table" else [],
                     "again": how[2:] if kind == "again" else []}.get(kind, [])
        for to in sorted(following, reverse=True):
            visit(to)
        order.append(number)
    visit(0)
    return list(reversed(order))


TWO_ENTRIES = """.version 7.0
.target sm_70
.address_size 64
.visible .entry layout(.param .u64 out)
{
.reg .pred %p, %q;
.reg .u32 %x, %t;
.reg .u64 %a;
mov.u32 %t, %tid.x;
mov.u32 %x, %t;
and.b32 %x, %x, 1;
setp.eq.u32 %p, %x, 0;
mov.u32 %x, %t;
@%p bra SECOND;
bra FIRST;
END: ld.param.u64 %a, [out];
mad.wide.u32 %a, %t, 4, %a;
st.global.u32 [%a], %x;
ret;
FIRST: add.u32 %x, %x, 5;
SECOND: mul.lo.u32 %x, %x, 2;
setp.gt.u32 %q, %x, 1000;
@%q bra END;
add.u32 %x, %x, 1;
bra FIRST;
}
"""


def two_entries(thread):
    x, first = thread, thread % 2 == 1
    while True:
        x = (x + 5 if first else x) * 2
        if x > 1000:
            return x
        x, first = x + 1, True


def main():
    hexec, found = sys.argv[1], []
    seeds = [int(seed) for seed in sys.argv[2:]] or range(SEEDS)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in seeds:
            found += check(hexec, folder, seed)
        words, said = run(hexec, folder, TWO_ENTRIES)
        if words != tuple(two_entries(thread) for thread in range(THREADS)):
            found.append(f"a loop of two entries: {said}")
    for line in found:
        print(line)
    print(f"{len(seeds)} kernels in 4 orders each, {len(found)} mistakes")
    return len(found) > 0


sys.exit(main())
