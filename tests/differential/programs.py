#!/usr/bin/env python3
"""What the programs of programs/ must compute, worked out from their formulas and never by hexec.

    reference.py --check DIRECTORY      do the programs' expectations say what this script computes? exit code 1 if not
    reference.py --write DIRECTORY      write them: the `expect` part, which is the last of a file, and .npy files
    reference.py --compute FILE [NAME=VALUE...] --out DIRECTORY
                                        write the buffers as .npy files, with other parameters than the program's

A function of PROGRAMS has the name of a program; it takes the program's parameters and gives the buffers that the
program writes. Everything is plain Python: f32 values are Python floats that were rounded by `f32`; a sum, difference,
product, quotient or square root of two such values, computed in double and rounded to f32, has been rounded once in
effect (Figueroa, "When is double rounding innocuous?", 1995), and `fma32` takes care of the one operation where that
does not hold.
"""
import argparse
import ctypes
import math
import re
import struct
import sys
import zlib
from pathlib import Path

# ---- Numbers -----------------------------------------------------------------------------------------------------


def f32(x):
    """Rounded to the nearest f32 (too large: infinity)."""
    return ctypes.c_float(x).value


def fma32(a, b, c):
    """a * b + c, rounded once. The product is exact in double; the sum is rounded to odd, so that rounding it again,
    to f32, is right (Boldo and Melquiond, 2008)."""
    product = a * b
    total = product + c
    part = total - product
    error = (product - (total - part)) + (c - part)
    if error:
        bits = struct.unpack("<q", struct.pack("<d", total))[0]
        if bits & 1 == 0:
            bits += 1 if (error > 0) == (total > 0) else -1
            total = struct.unpack("<d", struct.pack("<q", bits))[0]
    return f32(total)


MASK = (1 << 64) - 1


def random_bits(seed, index):
    """`fill: random` is SplitMix64 of seed and index (docs/programs.md)."""
    z = (seed * 0x9E3779B97F4A7C15 + (index + 1) * 0xBF58476D1CE4E5B9) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def random_unit(seed, index):
    return (random_bits(seed, index) >> 11) * 2.0**-53


def random_f32(count, seed, low, high):
    """low <= x < high. What would round up to `high` must not occur in the programs' data."""
    values = [f32(low + random_unit(seed, i) * (high - low)) for i in range(count)]
    assert all(value < f32(high) for value in values)
    return values


def random_int(count, seed, low, high):
    """low <= x <= high"""
    return [min(high, math.floor(low + random_unit(seed, i) * (high - low + 1))) for i in range(count)]


def iota(count):
    return list(range(count))


FORMATS = {"i32": "i", "u32": "I", "f32": "f", "u64": "Q", "f16": "e"}


def pack(kind, values):
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


def npy(kind, values):
    """A vector in NumPy's format, version 1.0."""
    text = f"{{'descr': '<{kind.replace('u32', 'u4').replace('f32', 'f4')}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + pack(kind, values)


# ---- Results ------------------------------------------------------------------------------------------------------


class Result:
    """The elements that a buffer holds in the end. Exact ones are compared bit for bit."""

    def __init__(self, kind, values, rtol=0.0, atol=0.0):
        self.kind, self.values, self.rtol, self.atol = kind, values, rtol, atol

    @property
    def exact(self):
        return self.rtol == 0 and self.atol == 0


# ---- Programs -----------------------------------------------------------------------------------------------------


def copy_one():
    return {"target": Result("f32", [42])}


def vector_add(n):
    return {"c": Result("f32", [f32(i + i) for i in range(n)])}


def saxpy(n, a):
    return {"y": Result("f32", [fma32(x, a, 1.0) for x in iota(n)])}


def matrix_product(n):
    a, b = random_f32(n * n, 1, -1, 1), random_f32(n * n, 2, -1, 1)
    columns = [b[j::n] for j in range(n)]
    c = []
    for i in range(n):
        row = a[i * n : i * n + n]
        for column in columns:
            total = 0.0
            for x, y in zip(row, column):
                total = fma32(x, y, total)
            c.append(total)
    return {"c": Result("f32", c)}


matmul_naive = matmul_tiled = matrix_product  # in the same order, so with the same bits


def reduce_sum(n):
    blocks = [sum(i for i in range(256 * b, 256 * b + 256) if i < n) for b in range(8)]
    assert max(blocks) < 1 << 24  # every partial sum is an integer that f32 holds exactly
    return {"sums": Result("f32", blocks)}


def scan_block():
    x, total = random_int(1024, 7, 0, 9), []
    for i, value in enumerate(x):
        total.append(value if i % 256 == 0 else total[-1] + value)
    return {"total": Result("u32", total)}


def mandelbrot(width, height, limit, left, top, pixel):
    steps = []
    for y in range(height):
        for x in range(width):
            c_re, c_im = f32(f32(x * pixel) + left), f32(f32(y * pixel) + top)
            re = im = 0.0
            count = 0
            while count < limit:
                re2, im2 = f32(re * re), f32(im * im)
                if f32(re2 + im2) > 4:
                    break
                re, im = f32(f32(re2 - im2) + c_re), fma32(f32(re * im), 2.0, c_im)
                count += 1
            steps.append(count)
    return {"steps": Result("u32", steps)}


def nbody(n, softening, step):
    """In double: hexec adds in f32, and its square roots are only within 1 ulp."""
    data = random_f32(4 * n, 3, 0.1, 1)
    bodies = [data[i : i + 4] for i in range(0, 4 * n, 4)]
    velocity, moved = [], []
    for x, y, z, mass in bodies:
        pull = [0.0, 0.0, 0.0]
        for ox, oy, oz, omass in bodies:
            away = (ox - x, oy - y, oz - z)
            weight = omass * (away[0] ** 2 + away[1] ** 2 + away[2] ** 2 + softening) ** -1.5
            pull = [p + a * weight for p, a in zip(pull, away)]
        speed = [p * step for p in pull]
        velocity += speed + [0.0]
        moved += [x + speed[0] * step, y + speed[1] * step, z + speed[2] * step, mass]
    # a step's rounding errors are some ulps of the largest of 256 summands, which have both signs
    return {
        "velocity": Result("f32", [f32(v) for v in velocity], rtol=1e-4, atol=1e-5),
        "moved": Result("f32", [f32(v) for v in moved], rtol=1e-6, atol=1e-6),
    }


def transpose(width, height):
    return {"output": Result("f32", [y * width + x for x in range(width) for y in range(height)])}


transpose_naive = transpose


def stencil2d(width, height):
    before = random_f32(width * height, 5, 0, 100)
    after = list(before)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            i = y * width + x
            vertical = f32(before[i - width] + before[i + width])
            horizontal = f32(before[i - 1] + before[i + 1])
            after[i] = f32(f32(vertical + horizontal) * 0.25)
    return {"after": Result("f32", after)}


def spmv_csr(rows):
    matrix = [
        [10, 0, 0, 2, 0, 0, 0, 0],
        [0, 3, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [0, 0, -4, 0, 0, 0, 0, 0.5],
        [0, 0, 0, 0, 7, 0, 0, 0],
        [6, 0, 0, 0, 0, 5, 0, 0],
        [0, 2, 0, 0, 0, 0, 0, 9],
    ]
    x = [1, 2, 3, 4, 5, 6, 7, 8]
    return {"y": Result("f32", [sum(a * b for a, b in zip(row, x)) for row in matrix[:rows]])}


def bfs(vertices, level):
    edges = [(0, 1), (1, 2), (0, 3), (1, 4), (3, 4), (2, 5), (3, 6), (6, 7), (7, 8), (5, 8), (8, 9), (9, 10), (10, 11)]
    edges += [(11, 12), (13, 14)]
    distance, found, frontier = [0] + [-1] * (vertices - 1), [0] * vertices, {0}
    while frontier:
        frontier = {b for edge in edges for a, b in (edge, edge[::-1]) if a in frontier and distance[b] < 0}
        for vertex in frontier:
            distance[vertex] = level + 1
        found[level] = len(frontier)
        level += 1
    return {"distance": Result("i32", distance), "found": Result("u32", found)}


def linked_lists():
    chains = {"nodes": {0: (5, 48), 16: (100, 64), 32: (7, None), 48: (6, 32), 64: (200, "last")}, "last": {0: (300, None)}}

    def total(space, at):
        value, following = chains[space][at]
        if following is None:
            return value
        return value + (total("last", 0) if following == "last" else total(space, following))

    return {"sums": Result("u64", [total("nodes", 0), total("nodes", 16), total("last", 0), 0])}


def black_scholes(n, rate, volatility):
    """With the exact normal distribution, in double. The program's polynomial is within 7.5e-8, times prices up to
    100; its f32 arithmetic is within some ulps of 100 (8e-6 each)."""
    normal = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
    calls, puts = [], []
    for spot, strike, years in zip(
        random_f32(n, 11, 5, 30), random_f32(n, 12, 1, 100), random_f32(n, 13, 0.25, 10)
    ):
        spread = volatility * math.sqrt(years)
        d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
        discounted = strike * math.exp(-rate * years)
        calls.append(spot * normal(d1) - discounted * normal(d1 - spread))
        puts.append(discounted * normal(spread - d1) - spot * normal(-d1))
    return {
        "call_price": Result("f32", [f32(v) for v in calls], rtol=1e-5, atol=1e-4),
        "put_price": Result("f32", [f32(v) for v in puts], rtol=1e-5, atol=1e-4),
    }


def bitonic_sort():
    keys = random_int(512, 21, 0, 4294967295)
    return {"keys": Result("u32", sorted(keys[:256]) + sorted(keys[256:]))}


def collatz(n):
    def steps(value):
        count = 0
        while value > 1:
            value = 3 * value + 1 if value % 2 else value // 2
            count += 1
        return count

    return {"steps": Result("u32", [steps(i + 1) for i in range(n)])}


def call_ret():
    return {
        "squares": Result("u32", [i * i + (i + 1) ** 2 for i in range(64)]),
        "factorials": Result("u32", [math.factorial(i % 13) for i in range(64)]),
    }


def loop_demo():
    return {"count": Result("u32", [i * (i + 1) // 2 for i in range(64)])}


def named_barriers():
    number = lambda block, turn, lane: block * 1000 + turn * 32 + lane
    return {
        "result": Result(
            "u32",
            [sum(number(block, turn, 31 - lane) for turn in range(8)) for block in range(2) for lane in range(32)],
        )
    }


def jump_table():
    operations = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, max]
    codes, a, b = random_int(64, 1, 0, 3), random_int(64, 2, -100, 100), random_int(64, 3, -100, 100)
    return {"result": Result("i32", [operations[code](x, y) for code, x, y in zip(codes, a, b)])}


def call_table():
    steps = [lambda x: x // 2, lambda x: 3 * x + 1, lambda x: x * x % 1000]
    codes, values = random_int(64, 1, 0, 2), random_int(64, 2, 0, 999)
    return {"result": Result("u32", [steps[(code + 1) % 3](steps[code](x)) for code, x in zip(codes, values)])}


def histogram(n):
    values = random_int(n, 7, 0, 63)
    return {"bins": Result("u32", [values.count(v) for v in range(64)])}


def spin_lock():
    return {"lock": Result("u32", [0]), "length": Result("u32", [64]), "sum": Result("u32", [sum(range(64))])}


def multi_kernel(n):
    x = [8 * i for i in range(n)]
    return {
        "x": Result("u32", x),
        "parts": Result("u32", [sum(x[256 * b : 256 * b + 256]) for b in range(4)]),
        "total": Result("u32", [sum(x)]),
    }


def print_():
    return {"squares": Result("u32", [i * i for i in range(128)])}


def warp_reduce(n):
    x = random_int(n, 3, 0, 1000)
    return {"sums": Result("u32", [sum(x[256 * b : 256 * b + 256]) for b in range(4)])}


def compact(n):
    kept = [v for v in random_int(n, 11, 0, 999) if v % 2 == 0]
    return {"kept": Result("u32", kept + [0] * (n - len(kept))), "count": Result("u32", [len(kept)])}


def last_block(n):
    x = random_int(n, 5, 0, 100000)
    sums = [sum(x[128 * b : 128 * b + 128]) for b in range(7)]
    return {"sums": Result("u32", sums), "done": Result("u32", [7]), "total": Result("u32", [sum(x)])}


def work_queue(n):
    # a ticket for each task, and one for each of the six warps that finds none
    return {
        "next": Result("u32", [n + 6]),
        "answers": Result("u32", [k * (k + 1) // 2 for k in random_int(n, 21, 0, 2000)]),
    }


def f16(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def random_f16(count, seed, low, high):
    return [f16(low + random_unit(seed, i) * (high - low)) for i in range(count)]


def dot_f16(n):
    x = random_f16(n, 1, -1, 1)
    y = random_f16(n, 2, -1, 1)
    parts, parts16 = [0.0] * 64, [0.0] * 64
    for i in range(n):
        parts[i % 64] = f32(x[i] * y[i] + parts[i % 64])  # the product of f16 is exact, the sum in double too
        parts16[i % 64] = f16(x[i] * y[i] + parts16[i % 64])
    return {"parts": Result("f32", parts), "parts16": Result("f16", parts16)}


def hash64(p1, p2, p3):
    x = [random_bits(77, i) for i in range(512)]  # min + floor(z * 2^64 / 2^64)
    hashes = []
    for i in range(128):
        a = p3
        for word in x[4 * i : 4 * i + 4]:
            a = (a + word * p2) & MASK
            a = ((a << 31 | a >> 33) & MASK) * p1 & MASK
        a = (a ^ a >> 33) * p2 & MASK
        a = (a ^ a >> 29) * p3 & MASK
        hashes.append(a ^ a >> 32)
    folded = [(h * p1 >> 64) ^ (h * p1 & MASK) for h in hashes]
    return {"hash": Result("u64", hashes), "folded": Result("u64", folded)}


def philox(counter, key):
    """Philox 4x32-10 of Salmon et al., 2011."""
    a, b, c, d = counter
    k, l = key
    for _ in range(10):
        p, q = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = (q >> 32) ^ b ^ k, q & 0xFFFFFFFF, (p >> 32) ^ d ^ l, p & 0xFFFFFFFF
        k, l = (k + 0x9E3779B9) & 0xFFFFFFFF, (l + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


def monte_carlo(steps, seed):
    # the known answer that Random123 publishes for counter and key of zeros
    assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    hits = []
    for thread in range(256):
        count = 0
        for step in range(steps):
            a, b, c, d = philox((thread, step, 0, 0), (seed, 0))
            count += sum((x >> 16) ** 2 + (y >> 16) ** 2 < 1 << 32 for x, y in ((a, b), (c, d)))
        hits.append(count)
    return {"hits": Result("u32", hits)}


PROGRAMS = {
    name: globals()[name]
    for name in """
    copy_one vector_add saxpy matmul_naive matmul_tiled reduce_sum scan_block mandelbrot nbody transpose stencil2d
    spmv_csr black_scholes bitonic_sort collatz call_ret loop_demo named_barriers jump_table call_table histogram spin_lock
    multi_kernel transpose_naive bfs linked_lists
    warp_reduce compact last_block work_queue dot_f16 hash64 monte_carlo
    """.split()
}
PROGRAMS["print"] = print_

# ---- Files --------------------------------------------------------------------------------------------------------

ALL_VALUES = 16  # buffers up to this many elements are written out
FIRST_VALUES = 8  # of larger ones these, for people, and the checksum of all


def parameters(text):
    """The scalar parameters of a program's text, by name."""
    found = re.findall(r"^ *- \{name: (\w+), type: (\w+), value: ([^,}]+)\}", text, re.MULTILINE)
    numbers = [each for each in found if not each[2].startswith("$")]  # no addresses
    return {name: f32(float(value)) if kind == "f32" else int(value, 0) for name, kind, value in numbers}


def shortest(kind, value):
    """The shortest text that reads back as the same value."""
    if kind not in ("f32", "f16") or (value == int(value) and abs(value) < 1e6):
        return str(int(value))
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if (f16 if kind == "f16" else f32)(float(text)) == value:
            return text
    raise ValueError(value)


def expectations(program, results):
    """The `expect` part and the .npy files that it names."""
    lines, files = [], {}
    for buffer, result in results.items():
        few = len(result.values) <= ALL_VALUES
        first = ", ".join(shortest(result.kind, v) for v in result.values[: ALL_VALUES if few else FIRST_VALUES])
        tolerance = "" if result.exact else f", rtol: {result.rtol:g}, atol: {result.atol:g}"
        if result.exact or few:
            comment = "" if few else "   # the first elements"
            lines.append(f"  - {{buffer: {buffer}, values: [{first}]{tolerance}}}{comment}\n")
        if not few and result.exact:
            lines.append(f"  - {{buffer: {buffer}, crc32: 0x{zlib.crc32(pack(result.kind, result.values)):08x}}}\n")
        elif not few:
            name = f"{program}-{buffer}.npy"
            files[name] = npy(result.kind, result.values)
            lines.append(f"  - {{buffer: {buffer}, file: {name}{tolerance}}}\n")
    return "expect:                                    # from tests/differential/programs.py\n" + "".join(lines), files


def renew(directory, write):
    """Writes or compares all programs of a directory; returns what differs."""
    wrong = []
    names = {path.stem for path in directory.glob("*.yaml")}
    wrong += [f"{name}.yaml: there is no reference for it" for name in sorted(names - PROGRAMS.keys())]
    wrong += [f"{name}.yaml is missing" for name in sorted(PROGRAMS.keys() - names)]
    for name in sorted(names & PROGRAMS.keys()):
        path = directory / f"{name}.yaml"
        text = path.read_text()
        given, _, _ = text.partition("expect:")
        expect, files = expectations(name, PROGRAMS[name](**parameters(text)))
        files[path.name] = (given + expect).encode()
        for file, content in files.items():
            target = directory / file
            if target.is_file() and target.read_bytes() == content:
                continue
            if write:
                target.write_bytes(content)
            else:
                wrong.append(f"{file} is not what the reference computes")
    return wrong


def compute(path, changes, out):
    given = parameters(path.read_text())
    for change in changes:
        name, _, value = change.partition("=")
        given[name] = f32(float(value)) if isinstance(given[name], float) else int(value)
    for buffer, result in PROGRAMS[path.stem](**given).items():
        (out / f"{buffer}.npy").write_bytes(npy(result.kind, result.values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", type=Path, metavar="DIRECTORY")
    action.add_argument("--write", type=Path, metavar="DIRECTORY")
    action.add_argument("--compute", type=Path, metavar="FILE")
    parser.add_argument("changes", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--out", type=Path, default=Path("."))
    arguments = parser.parse_args()
    if arguments.compute:
        compute(arguments.compute, arguments.changes, arguments.out)
        return 0
    wrong = renew(arguments.check or arguments.write, arguments.write is not None)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
