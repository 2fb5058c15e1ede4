#!/usr/bin/env python3
"""usage: curand.py HEXEC

curand_kernel.h against the papers' generators, computed here by other means, and against numbers that NVIDIA's documentation
shows (the example of curand's host API: seed 1234, the first number of ten subsequences)."""
import array
import math
import pathlib
import subprocess
import sys
import tempfile

HEXEC, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(__file__).resolve().with_name("curand.cu")
MASK, THREADS = 0xffffffff, 40
SHOWN = (0.1455, 0.8202, 0.5504, 0.2948, 0.9147, 0.8690, 0.3219, 0.7829, 0.0113, 0.2855)


def step(v):
    t = v[0] ^ v[0] >> 2
    return [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & MASK]


class Matrix:
    """A linear map of 160 bits: what each bit becomes"""

    def __init__(self, columns):
        self.columns = columns

    def __call__(self, bits):
        found = 0
        while bits:
            low = bits & -bits
            found ^= self.columns[low.bit_length() - 1]
            bits ^= low
        return found

    def squared(self):
        return Matrix([self(column) for column in self.columns])


def packed(v):
    return sum(word << 32 * i for i, word in enumerate(v))


def words(bits):
    return [bits >> 32 * i & MASK for i in range(5)]


POWERS = [Matrix([packed(step(words(1 << i))) for i in range(160)])]
while len(POWERS) < 75:
    POWERS.append(POWERS[-1].squared())


class Xorwow:
    def __init__(self, seed, subsequence, offset):
        low = 1099087573 * (seed & MASK ^ 0xaad26b49) & MASK
        high = 2591861531 * (seed >> 32 ^ 0xf7dcefdd) & MASK
        self.d = 6615241 + low + high & MASK
        self.v = [123456789 + low & MASK, 362436069 ^ low, 521288629 + high & MASK, 88675123 ^ high, 5783321 + low & MASK]
        self.skip_sequences(subsequence)
        self.skip(offset)

    def jump(self, count, first):
        bits = packed(self.v)
        for i in range(count.bit_length()):
            bits = POWERS[first + i](bits) if count >> i & 1 else bits
        self.v = words(bits)

    def skip(self, count):
        self.jump(count, 0)
        self.d = self.d + 362437 * count & MASK

    def skip_sequences(self, count):
        self.jump(count, 67)

    def next(self):
        self.v = step(self.v)
        self.d = self.d + 362437 & MASK
        return self.v[4] + self.d & MASK


class Philox:
    def __init__(self, seed, subsequence, offset):
        self.key, self.at = (seed & MASK, seed >> 32), (subsequence << 64) * 4 + offset

    def skip(self, count):
        self.at += count

    def skip_sequences(self, count):
        self.at += (count << 64) * 4

    def block(self, counter):
        c, key = [counter >> 32 * i & MASK for i in range(4)], list(self.key)
        for _ in range(10):
            first, second = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
            c = [second >> 32 ^ c[1] ^ key[0], second & MASK, first >> 32 ^ c[3] ^ key[1], first & MASK]
            key = [key[0] + 0x9e3779b9 & MASK, key[1] + 0xbb67ae85 & MASK]
        return c

    def next(self):
        found = self.block(self.at // 4)[self.at % 4]
        self.at += 1
        return found


def uniform(bits):
    return bits / 2**32 + 2**-33


def uniform_double(state):
    low, high = state.next(), state.next()
    return (low ^ high << 21) / 2**53 + 2**-54


def normals(state):
    x, y = uniform(state.next()), uniform(state.next())
    size = math.sqrt(-2 * math.log(x))
    return [size * math.sin(2 * math.pi * y), size * math.cos(2 * math.pi * y)]


def normals_double(state):
    x, y = uniform_double(state), uniform_double(state)
    size = math.sqrt(-2 * math.log(x))
    return [size * math.sin(2 * math.pi * y), size * math.cos(2 * math.pi * y)]


def expected(state):
    """What draw() of curand.cu writes"""
    bits = [state.next() for _ in range(6)]
    floats, doubles = [uniform(state.next())], [uniform_double(state)]
    pair, wide = normals(state), normals_double(state)
    floats += pair
    doubles += wide
    floats.append(math.exp(1 + 0.5 * normals(state)[0]))
    doubles.append(math.exp(1 + 0.5 * normals_double(state)[0]))
    state.skip(1000)
    state.skip_sequences(3)
    floats.append(uniform(state.next()))
    doubles.append(uniform_double(state))
    return bits, floats, doubles


def run(folder, kernel, given, out, *more):
    """The numbers that a kernel writes: `out` has each argument's type and count"""
    words_of = [word for i, (kind, count) in enumerate(out) for word in ("--arg", f"{kind}:{count}", "--out", f"{len(given) + i}={folder / str(i)}")]
    arguments = [word for value in given for word in ("--arg", str(value))]
    done = subprocess.run([HEXEC, "run", SOURCE, "--kernel", kernel, *arguments, *words_of, "--quiet", *more], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"curand: {kernel}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return [array.array({"u32": "I", "f32": "f", "f64": "d"}[kind], (folder / str(i)).read_bytes()) for i, (kind, _) in enumerate(out)]


def near(name, found, wanted, error):
    for i, (x, y) in enumerate(zip(found, wanted)):
        if not abs(x - y) <= error * max(1, abs(y)):
            sys.exit(f"curand: {name}: number {i} is {x}, not {y}")


def check_states(folder):
    for kernel, make in (("xorwow", Xorwow), ("philox", Philox)):
        for seed, offset in ((0, 0), (1234, 5), (0xfedcba9876543210, 4294967299)):
            found = run(folder, kernel, (seed, offset), (("u32", 6 * THREADS), ("f32", 5 * THREADS), ("f64", 5 * THREADS)), "--block", str(THREADS))
            wanted = [expected(make(seed, t, offset)) for t in range(THREADS)]
            near(f"{kernel} {seed} bits", found[0], [x for row in wanted for x in row[0]], 0)
            near(f"{kernel} {seed} floats", found[1], [x for row in wanted for x in row[1]], 4e-6)
            near(f"{kernel} {seed} doubles", found[2], [x for row in wanted for x in row[2]], 1e-14)


def check_fours(folder):
    bits, floats, doubles = run(folder, "fours", (99,), (("u32", 32), ("f32", 32), ("f64", 16)), "--block", "8")
    for t in range(8):
        state = Philox(99, 7, t)
        near("curand4", bits[4 * t:4 * t + 4], [state.next() for _ in range(4)], 0)
        near("curand_uniform4", floats[4 * t:4 * t + 4], [uniform(state.next()) for _ in range(4)], 1e-7)
        near("curand_uniform2_double", doubles[2 * t:2 * t + 2], [uniform_double(state) for _ in range(2)], 1e-15)


def check_poisson(folder):
    for value in (0.5, 20, 500):
        numbers, = run(folder, "poisson", (value,), (("u32", 4096),), "--grid", "32", "--block", "128")
        mean = sum(numbers) / 4096
        variance = sum((x - mean)**2 for x in numbers) / 4096
        if abs(mean - value) > 5 * math.sqrt(value / 4096) or abs(variance / value - 1) > 0.15:
            sys.exit(f"curand: curand_poisson({value}) has the mean {mean} and the variance {variance}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        near("what NVIDIA shows", [round(uniform(Xorwow(1234, i, 0).next()), 4) for i in range(10)], SHOWN, 1e-12)
        near("the known answer of Random123", Philox(0, 0, 0).block(0), (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8), 0)
        check_states(folder)
        check_fours(folder)
        check_poisson(folder)
    print("curand: ok")


main()
