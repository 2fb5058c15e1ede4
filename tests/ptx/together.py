#!/usr/bin/env python3
"""Instructions of PTX in which threads take part together: together.py HEXEC. Each row is a kernel of 64 threads: x is a thread's
number, d its result, and a model of the PTX ISA says what all results are of all numbers."""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from numbers_ptx import absolute, decode, encode, is_nan, larger, signed, smaller

THREADS = 64
HEAD = """.version 9.0
.target sm_100a
.address_size 64
.func (.reg .v2 .u32 sums) sum_of(.reg .v2 .u32 pair, .reg .u32 more)
{ add.u32 sums.x, pair.x, pair.y; add.u32 sums.y, pair.y, more; ret; }
"""
FRAME = """.visible .entry test(.param .u64 in, .param .u64 out) {{
.reg .b32 x, d, id, lane, other, word; .reg .b64 from, to; .reg .pred p, q; .reg .v2 .u32 v; .shared .b32 block[64];
mov.u32 id, %tid.x; mov.u32 lane, %laneid; ld.param.u64 from, [in]; ld.param.u64 to, [out];
mad.wide.u32 from, id, 4, from; mad.wide.u32 to, id, 4, to; ld.global.u32 x, [from];
{}
st.global.u32 [to], d; ret; }}
"""


def warps(function):
    """A model of the numbers of a warp, for each lane."""
    def model(xs):
        return [function(xs[warp:warp + 32], lane) for warp in range(0, THREADS, 32) for lane in range(32)]
    return model


def bits(values):
    return sum(bool(value) << i for i, value in enumerate(values))


def shuffled(mode, by, clamp=31, segment=0):
    """PTX ISA, shfl: the lane that is read, its own if that is out of range; with the predicate that it was in range."""
    def function(xs, lane):
        most = (lane & segment) | (clamp & ~segment)
        least = lane & segment
        source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": least | (by & ~segment)}[mode]
        good = source >= most if mode == "up" else source <= most
        return xs[source if good else lane] + (1000000 if good else 0)
    return warps(function)


def extreme(function, keep_nan=False, of_magnitude=False):
    def model(xs, _):
        values = [decode("f32", x) for x in xs]
        values = [absolute(v) for v in values] if of_magnitude else values
        if keep_nan and any(is_nan(v) for v in values):
            return encode("f32", "nan")
        result = values[0]
        for value in values[1:]:
            result = function(result, value)
        return encode("f32", result)
    return warps(model)


def mixed(operation, start):
    def model(xs, _):
        result = start
        for x in xs:
            result = operation(result, x)
        return result & 0xFFFFFFFF
    return warps(model)


def rows():
    in_range = "selp.u32 other, 1000000, 0, p; add.u32 d, d, other;"
    for mode, by, clamp, segment in (("up", 3, 0, 0), ("down", 5, 31, 0), ("bfly", 6, 31, 0), ("idx", 9, 31, 0), ("down", 3, 31, 24),
                                     ("up", 2, 0, 24), ("bfly", 3, 15, 16), ("idx", 5, 31, 24)):
        yield (f"shfl.sync.{mode}.b32 d|p, x, {by}, {clamp | segment << 8}, -1; {in_range}", shuffled(mode, by, clamp, segment))
        yield (f"mov.u32 other, {by}; shfl.{mode}.b32 d|p, x, other, {clamp | segment << 8}; {in_range}",
               shuffled(mode, by, clamp, segment))
    odd = "and.b32 other, x, 1; setp.eq.u32 p, other, 1;"
    yield f"{odd} vote.sync.ballot.b32 d, p, -1;", warps(lambda xs, _: bits(x & 1 for x in xs))
    yield f"{odd} vote.sync.ballot.b32 d, !p, 0xffffffff;", warps(lambda xs, _: bits(1 - (x & 1) for x in xs))
    for name, test in (("all", all), ("any", any), ("uni", lambda values: len(set(values)) == 1)):
        for sign in ("", "!"):
            yield (f"setp.lt.u32 p, x, 60000; vote.sync.{name}.pred q, {sign}p, -1; selp.u32 d, 1, 0, q;",
                   warps(lambda xs, _, test=test, sign=sign: test([(x < 60000) == (not sign) for x in xs])))
    yield ("and.b32 other, x, 3; match.any.sync.b32 d, other, -1;", warps(lambda xs, lane: bits(x & 3 == xs[lane] & 3 for x in xs)))
    yield ("shr.u32 other, id, 5; match.all.sync.b32 d|p, other, -1; @!p mov.u32 d, 5;", warps(lambda xs, lane: 0xFFFFFFFF))
    yield "match.all.sync.b32 d|p, lane, -1; @!p mov.u32 d, 5;", warps(lambda xs, lane: 5)
    for name, kind, operation, start in (
            ("add", "u32", lambda a, b: a + b, 0), ("min", "u32", min, 1 << 32), ("max", "u32", max, 0),
            ("min", "s32", lambda a, b: min(a, signed(b, 32)), 1 << 31), ("and", "b32", lambda a, b: a & b, -1),
            ("max", "s32", lambda a, b: max(a, signed(b, 32)), -(1 << 31)), ("or", "b32", lambda a, b: a | b, 0),
            ("xor", "b32", lambda a, b: a ^ b, 0)):
        yield f"redux.sync.{name}.{kind} d, x, -1;", mixed(operation, start)
    # warp 0 has no NaN, warp 1 has one
    number = "shl.b32 x, x, 8; or.b32 x, x, 0x3e000000; setp.eq.u32 p, id, 40; selp.b32 x, 0x7fc00000, x, p;"
    for name, function in (("min", smaller), ("max", larger)):
        for dots in ("", ".abs", ".NaN", ".abs.NaN"):
            model = extreme(function, "NaN" in dots, "abs" in dots)
            yield (f"{number} redux.sync.{name}{dots}.f32 d, x, -1;",
                   lambda xs, model=model: model([0x7FC00000 if i == 40 else (x << 8 | 0x3E000000) & 0xFFFFFFFF for i, x in enumerate(xs)]))
    yield f"{odd} bar.red.popc.u32 d, 0, p;", lambda xs: [sum(x & 1 for x in xs)] * THREADS
    yield f"{odd} bar.red.and.pred q, 0, p; selp.u32 d, 1, 0, q;", lambda xs: [int(all(x & 1 for x in xs))] * THREADS
    yield f"{odd} bar.red.or.pred q, 0, !p; selp.u32 d, 1, 0, q;", lambda xs: [int(any(1 - (x & 1) for x in xs))] * THREADS
    yield from barriers()
    yield ("mov.b64 from, {id, x}; mov.b64 v, from; call (v), sum_of, (v, x); add.u32 d, v.x, v.y;",
           lambda xs: [i + x + x + x for i, x in enumerate(xs)])


def barriers():
    """Each thread reads what its partner stored before the barrier."""
    exchange = ("mov.u32 word, block; mad.lo.u32 word, id, 4, word; st.shared.u32 [word], x; {} xor.b32 word, id, 5; "
                "mul.lo.u32 word, word, 4; mov.u32 other, block; add.u32 other, other, word; ld.shared.u32 d, [other];")
    for waiting in ("bar.sync 0;", "barrier.sync.aligned 3;", "bar.sync 1, 64;", "mov.u32 d, 7; bar.sync d;",
                    "mov.u32 d, 15; mov.u32 other, 64; bar.sync d, other;", "shr.u32 d, id, 5; mov.u32 other, 32; barrier.cta.sync d, other;",
                    "setp.lt.u32 p, id, 100; mov.u32 d, 2; @p bar.sync d, 64;"):
        yield exchange.format(waiting), lambda xs: [xs[i ^ 5] for i in range(THREADS)]


def write_npy(path, values):
    head = b"{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}I", *values))


def main():
    hexec, source, failures, count = sys.argv[1], random.Random(7), [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        xs = [source.randint(0, 65535) for _ in range(THREADS)]
        write_npy(folder / "in.npy", xs)
        for text, model in rows():
            (folder / "test.ptx").write_text(HEAD + FRAME.format(text), encoding="utf-8")
            done = subprocess.run([hexec, folder / "test.ptx", "--block", str(THREADS), "--arg", f"@{folder / 'in.npy'}", "--arg",
                                   f"u32:{THREADS}", "--out", f"1={folder / 'out.bin'}", "--quiet"], capture_output=True, text=True, check=False)
            got = struct.unpack(f"<{THREADS}I", (folder / "out.bin").read_bytes()) if done.returncode == 0 else done.stdout + done.stderr
            want = tuple(int(value) & 0xFFFFFFFF for value in model(xs))
            count += 1
            if got != want:
                failures.append(f"{text}\n    {got}\n    {want}")
    print("\n".join(failures) or f"{count} instructions agree")
    return len(failures) > 0


sys.exit(main())
