"""Instructions of PTX that hexec runs with its device library: rounding with random bits, atomics of 128 bits and of vectors of
halves, copies in bulk. Each thread has 64 bytes in global memory, at [place], and in shared memory, at [spot]; `id` is its number."""
from fractions import Fraction

from instructions_float import positive
from numbers_ptx import FORMATS, absolute, decode, encode, halves, is_nan, is_negative, joined, larger, mask, number, smaller


# --- cvt.rs ---

def stochastic(kind, value, random, random_bits, is_finite):
    """Away from zero where the random bits, added to the highest bits that fall off, have a carry."""
    exponent_bits, fraction_bits, special, canonical = FORMATS[kind]
    sign = 1 << (exponent_bits + fraction_bits)
    most = special - 1
    if is_nan(value):
        return canonical if kind not in ("e3m2", "e2m3", "e2m1") else most
    magnitude = number(absolute(value))
    least = 2 - (1 << (exponent_bits - 1))
    if magnitude == float("inf"):
        bits = special
    else:
        exponent = least
        while magnitude >= Fraction(2) ** (exponent + 1):
            exponent += 1
        scaled = magnitude / Fraction(2) ** (exponent - fraction_bits)
        whole = scaled.numerator // scaled.denominator
        lost = (scaled - whole) * (1 << random_bits)
        carry = lost.numerator // lost.denominator + random >> random_bits
        bits = whole + carry + ((exponent - least) << fraction_bits)
    if bits > most:
        bits = most if is_finite else special
    return bits | (sign if is_negative(value) else 0)


def rounding():
    for kind, bits in (("f16", 13), ("bf16", 16)):
        for words in ("", ".relu", ".satfinite", ".relu.satfinite", ".satfinite.relu"):
            def pair(a, b, r, kind=kind, bits=bits, words=words):
                first, second = (positive(decode("f32", x)) if "relu" in words else decode("f32", x) for x in (a, b))
                low, high = r & (1 << bits) - 1, r >> 16 & (1 << bits) - 1
                return joined(stochastic(kind, second, low, bits, "satfinite" in words),
                              stochastic(kind, first, high, bits, "satfinite" in words))
            yield f"cvt.rs{words}.{kind}x2.f32 d, a, b, r", "d:u32", "a:f32 b:f32 r:u32", pair
    for kind, width in (("e4m3", 8), ("e5m2", 8), ("e2m3", 8), ("e3m2", 8), ("e2m1", 4)):
        for words in (".satfinite", ".relu.satfinite", ".satfinite.relu"):
            def four(a, b, c, e, r, kind=kind, width=width, words=words):
                values = [positive(decode("f32", x)) if "relu" in words else decode("f32", x) for x in (a, b, c, e)]
                parts = [stochastic(kind, value, random, 16, True) for value, random in zip(values, (r >> 16, r >> 16, r & 0xFFFF, r & 0xFFFF))]
                return sum(part << width * (3 - i) for i, part in enumerate(parts))
            yield (f"cvt.rs{words}.{kind}x4.f32 d, {{a, b, c, e}}, r", "d:u32" if width == 8 else "d:u16", "a:f32 b:f32 c:f32 e:f32 r:u32", four)


# --- atomics ---

def chosen(name, kind, a, b):
    return encode(kind, (smaller if name == "min" else larger)(decode(kind, a), decode(kind, b)))


def of_pairs(name, kind, a, b):
    return joined(*(chosen(name, kind, x, y) for x, y in zip(halves(a), halves(b))))


def vectors_of_halves():
    for name in ("min", "max"):
        for kind in ("f16", "bf16"):
            for count in (2, 4, 8):
                given, taken = [("a", "b")[i % 2] for i in range(count)], [("b", "c", "a")[i % 3] for i in range(count)]
                old, new = "defghijk"[:count], "lmnopqrs"[:count]
                vector = {2: "v2", 4: "v4", 8: "v4"}[count]
                parts = range(0, count, 4) if count > 2 else (0,)
                fill = "; ".join(f"st.global.{vector}.b16 [place+{2 * i}], {{{', '.join(given[i:i + 4])}}}" for i in parts)
                look = "; ".join(f"ld.global.{vector}.b16 {{{', '.join(new[i:i + 4])}}}, [place+{2 * i}]" for i in parts)

                def model(a, b, c, given=tuple(given), taken=tuple(taken), name=name, kind=kind):
                    values = {"a": a, "b": b, "c": c}
                    return (*(values[x] for x in given), *(chosen(name, kind, values[x], values[y]) for x, y in zip(given, taken)))
                yield (f"{fill}; atom.global.{name}.noftz.v{count}.{kind} {{{', '.join(old)}}}, [place], {{{', '.join(taken)}}}; {look}",
                       " ".join(f"{each}:{kind}" for each in old + new), f"a:{kind} b:{kind} c:{kind}", model)
                yield (f"{fill}; red.relaxed.gpu.global.v{count}.{name}.noftz.{kind} [place], {{{', '.join(taken)}}}; {look}",
                       " ".join(f"{each}:{kind}" for each in new), f"a:{kind} b:{kind} c:{kind}",
                       lambda a, b, c, model=model, count=count: model(a, b, c)[count:])
            yield (f"st.global.v2.b32 [place], {{a, b}}; atom.global.{name}.noftz.v2.{kind}x2 {{d, e}}, [place], {{b, c}}; "
                   "ld.global.v2.b32 {f, g}, [place]", "d:u32 e:u32 f:u32 g:u32", f"a:u32@{kind} b:u32@{kind} c:u32@{kind}",
                   lambda a, b, c, name=name, kind=kind: (a, b, of_pairs(name, kind, a, b), of_pairs(name, kind, b, c)))
            yield (f"st.global.v4.b32 [place], {{a, b, c, a}}; red.global.{name}.noftz.v4.{kind}x2 [place], {{b, c, a, a}}; "
                   "ld.global.v4.b32 {d, e, f, g}, [place]", "d:u32 e:u32 f:u32 g:u32", f"a:u32@{kind} b:u32@{kind} c:u32@{kind}",
                   lambda a, b, c, name=name, kind=kind: tuple(of_pairs(name, kind, x, y) for x, y in ((a, b), (b, c), (c, a), (a, a))))


def wide_atomics():
    for space, at in (("", "place"), (".global", "place"), (".shared", "spot")):
        memory = space or ".global"
        yield (f".reg .b128 x, y; st{memory}.v2.b64 [{at}], {{a, b}}; mov.b128 x, {{b, c}}; atom.acq_rel.gpu{space}.exch.b128 y, [{at}], x; "
               f"mov.b128 {{d, e}}, y; ld{memory}.v2.b64 {{f, g}}, [{at}]", "d:u64 e:u64 f:u64 g:u64", "a:u64 b:u64 c:u64",
               lambda a, b, c: (a, b, b, c))
        yield (f".reg .b128 x; st{memory}.v2.b64 [{at}], {{a, b}}; mov.b128 x, {{b, c}}; atom{space}.exch.L2::cache_hint.b128 _, [{at}], x, a; "
               f"ld{memory}.v2.b64 {{f, g}}, [{at}]", "f:u64 g:u64", "a:u64 b:u64 c:u64", lambda a, b, c: (b, c))
        yield (f".reg .b128 x, y, z; st{memory}.v2.b64 [{at}], {{a, b}}; mov.b128 x, {{c, b}}; mov.b128 y, {{b, a}}; "
               f"atom{space}.cas.b128 z, [{at}], x, y; mov.b128 {{d, e}}, z; ld{memory}.v2.b64 {{f, g}}, [{at}]",
               "d:u64 e:u64 f:u64 g:u64", "a:u64@1,2 b:u64 c:u64@1,2", lambda a, b, c: (a, b, *((b, a) if a == c else (a, b))))


# --- copies in bulk ---

BARRIER = (".shared .align 8 .b64 bars[64]; .reg .b32 bar; .reg .pred done; mov.u32 bar, bars; mad.lo.u32 bar, id, 8, bar; "
           "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], {bytes}; "
           "mbarrier.test_wait.parity.shared.b64 done, [bar], 0; selp.u32 f, 1, 0, done; ")
WAITED = "; mbarrier.test_wait.parity.shared.b64 done, [bar], 0; selp.u32 g, 1, 0, done"


def bulk_copies():
    """f and g: whether the barrier's phase was over before and behind the copy."""
    for space in ("cluster", "cta"):
        yield (BARRIER.format(bytes=32) + "st.global.v2.b64 [place], {a, b}; st.global.v2.b64 [place+16], {b, a}; "
               f"cp.async.bulk.shared::{space}.global.mbarrier::complete_tx::bytes [spot], [place], 32, [bar]; "
               "ld.shared.v2.b64 {d, e}, [spot+16]" + WAITED, "d:u64 e:u64 f:u32 g:u32", "a:u64 b:u64", lambda a, b: (b, a, 0, 1))
    yield (BARRIER.format(bytes=16) + "st.shared.v2.b64 [spot], {a, b}; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
           "[spot+32], [spot], 16, [bar]; ld.shared.v2.b64 {d, e}, [spot+32]" + WAITED, "d:u64 e:u64 f:u32 g:u32", "a:u64 b:u64",
           lambda a, b: (a, b, 0, 1))
    yield ("st.shared.v2.b64 [spot], {a, b}; cp.async.bulk.global.shared::cta.bulk_group [place], [spot], 16; cp.async.bulk.commit_group; "
           "cp.async.bulk.wait_group.read 0; ld.global.v2.b64 {d, e}, [place]", "d:u64 e:u64", "a:u64 b:u64", lambda a, b: (a, b))
    yield ("st.global.v2.b64 [place], {b, a}; st.shared.v2.b64 [spot], {a, b}; "
           "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [place], [spot], 16, m; ld.global.v2.b64 {d, e}, [place]",
           "d:u64 e:u64", "a:u64 b:u64 m:u16",
           lambda a, b, m: tuple(sum((x if m >> 8 * part + i & 1 else y) & 255 << 8 * i for i in range(8))
                                 for part, (x, y) in enumerate(((a, b), (b, a)))))
    yield ("st.shared.v2.b64 [spot], {a, a}; st.bulk.weak.shared::cta [spot], 8, 0; ld.shared.v2.b64 {d, e}, [spot]", "d:u64 e:u64", "a:u64",
           lambda a: (0, a))
    yield ("st.global.v2.b64 [place], {a, a}; st.bulk.weak [place], 16, 0; ld.global.v2.b64 {d, e}, [place]", "d:u64 e:u64", "a:u64",
           lambda a: (0, 0))
    yield (BARRIER.format(bytes=16) + "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [spot], {a, b, b, a}, [bar]; "
           "ld.shared.v2.b64 {d, e}, [spot]" + WAITED, "d:u64 e:u64 f:u32 g:u32", "a:u32 b:u32",
           lambda a, b: (b << 32 | a, a << 32 | b, 0, 1))
    yield (BARRIER.format(bytes=4) + "st.shared.u32 [spot], a; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 "
           "[spot], b, [bar]; ld.shared.u32 d, [spot]" + WAITED, "d:u32 f:u32 g:u32", "a:u32 b:u32", lambda a, b: (max(a, b), 0, 1))


def bulk_reductions():
    operations = {"add": lambda x, y: x + y, "min": min, "max": max, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
                  "xor": lambda x, y: x ^ y, "inc": lambda x, y: 0 if x >= y else x + 1, "dec": lambda x, y: y if x == 0 or x > y else x - 1}
    kinds = {"add": "u32 s32 u64", "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64", "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64",
             "inc": "u32", "dec": "u32"}
    for name, operate in operations.items():
        for kind in kinds[name].split():
            each = int(kind[1:]) // 8
            words = ", ".join("ab"[i % 2] for i in range(16 // each))
            others = ", ".join("bc"[i % 2] for i in range(16 // each))
            vector = f"v{16 // each}.b{8 * each}"
            yield (f"st.global.{vector} [place], {{{words}}}; st.shared.{vector} [spot], {{{others}}}; "
                   f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{name}.{kind} [place], [spot], 16; ld.global.v2.b{8 * each} {{d, e}}, "
                   f"[place+{16 - 2 * each}]", f"d:{kind} e:{kind}", f"a:{kind} b:{kind} c:{kind}",
                   lambda a, b, c, operate=operate: (operate(a, b), operate(b, c)))
    for kind in ("f16", "bf16"):
        for name in ("min", "max"):
            yield (f"st.global.v4.b16 [place], {{a, b, a, b}}; st.global.v4.b16 [place+8], {{a, b, a, b}}; st.shared.v4.b16 [spot], {{b, c, b, c}}; "
                   f"st.shared.v4.b16 [spot+8], {{b, c, b, c}}; cp.reduce.async.bulk.global.shared::cta.bulk_group.{name}.{kind} [place], [spot], 16; "
                   "ld.global.v2.b16 {d, e}, [place+12]", f"d:{kind} e:{kind}", f"a:{kind} b:{kind} c:{kind}",
                   lambda a, b, c, name=name, kind=kind: (chosen(name, kind, a, b), chosen(name, kind, b, c)))
    yield (BARRIER.format(bytes=16) + "st.shared.v4.b32 [spot], {a, b, a, b}; st.shared.v4.b32 [spot+16], {b, a, b, b}; "
           "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [spot+16], [spot], 16, [bar]; "
           "ld.shared.v2.b32 {d, e}, [spot+24]" + WAITED, "d:u32 e:u32 f:u32 g:u32", "a:u32 b:u32",
           lambda a, b: (a + b & mask("u32"), 2 * b & mask("u32"), 0, 1))


def rows():
    for table in (rounding, vectors_of_halves, wide_atomics, bulk_copies, bulk_reductions):
        yield from table()
