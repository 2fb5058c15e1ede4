"""Integers, bits, carries, comparisons of integers and moves of PTX, by the PTX ISA."""
from numbers_ptx import bounds, clamp, compare, halves, integer, joined, mask, saturated, signed, size

SMALL = ("s16", "u16")
WIDE = ("s32", "u32", "s64", "u64")
INTEGERS = SMALL + WIDE
MINIMUM = {"s16": -(1 << 15), "s32": -(1 << 31), "s64": -(1 << 63)}
SIGNED = ("eq", "ne", "lt", "le", "gt", "ge")
SHIFTS = "u32@0,1,5,8,15,16,31,32,33,63,64,65,128,0xffffffff"


def quotient(x, y):
    result = abs(x) // abs(y)
    return -result if (x < 0) != (y < 0) else result


def two(name, kind, model):
    return f"{name}.{kind} d, a, b", f"d:{kind}", f"a:{kind} b:{kind}", model


def three(name, kind, model):
    return f"{name}.{kind} d, a, b, c", f"d:{kind}", f"a:{kind} b:{kind} c:{kind}", model


def arithmetic():
    for kind in INTEGERS:
        bits = size(kind)
        yield two("add", kind, lambda a, b: a + b)
        yield two("sub", kind, lambda a, b: a - b)
        yield two("mul.lo", kind, lambda a, b: a * b)
        yield two("mul.hi", kind, lambda a, b, bits=bits: a * b >> bits)
        yield two("min", kind, min)
        yield two("max", kind, max)
        yield three("mad.lo", kind, lambda a, b, c: a * b + c)
        yield three("mad.hi", kind, lambda a, b, c, bits=bits: (a * b >> bits) + c)
        yield three("sad", kind, lambda a, b, c: c + abs(a - b))
        yield f"div.{kind} d, a, b", f"d:{kind}", f"a:{kind} b:{kind}@1,2,3,7,0x7f,100,1000", quotient
        yield (f"rem.{kind} d, a, b", f"d:{kind}", f"a:{kind} b:{kind}@1,2,3,7,0x7f,100,1000",
               lambda a, b: a - b * quotient(a, b))
        if kind[0] == "s":
            yield f"abs.{kind} d, a", f"d:{kind}", f"a:{kind}", abs
            yield f"neg.{kind} d, a", f"d:{kind}", f"a:{kind}", lambda a: -a
        if bits < 64:
            twice = f"{kind[0]}{2 * bits}"
            yield f"mul.wide.{kind} d, a, b", f"d:{twice}", f"a:{kind} b:{kind}", lambda a, b: a * b
            yield f"mad.wide.{kind} d, a, b, c", f"d:{twice}", f"a:{kind} b:{kind} c:{twice}", lambda a, b, c: a * b + c


def saturating():
    yield two("add.sat", "s32", lambda a, b: saturated("s32", a + b))
    yield two("sub.sat", "s32", lambda a, b: saturated("s32", a - b))
    yield three("mad.hi.sat", "s32", lambda a, b, c: saturated("s32", (a * b >> 32) + c))
    yield three("mad24.hi.sat", "s32", lambda a, b, c: saturated("s32", (signed(a, 24) * signed(b, 24) >> 16) + c))
    yield two("min.relu", "s32", lambda a, b: max(min(a, b), 0))
    yield two("max.relu", "s32", lambda a, b: max(a, b, 0))
    for kind in ("s32", "u32"):
        def low(value, kind=kind):
            return signed(value, 24) if kind == "s32" else value & 0xFFFFFF
        yield two("mul24.lo", kind, lambda a, b, low=low: low(a) * low(b))
        yield two("mul24.hi", kind, lambda a, b, low=low: low(a) * low(b) >> 16)
        yield three("mad24.lo", kind, lambda a, b, c, low=low: low(a) * low(b) + c)
        yield three("mad24.hi", kind, lambda a, b, c, low=low: (low(a) * low(b) >> 16) + c)


def parts(value, count, kind):
    bits = 32 // count
    values = [value >> i * bits & ((1 << bits) - 1) for i in range(count)]
    return [signed(v, bits) for v in values] if kind == "s32" else values


def dots():
    for x in ("s32", "u32"):
        for y in ("s32", "u32"):
            yield (f"dp4a.{x}.{y} d, a, b, c", "d:u32", "a:u32 b:u32 c:u32",
                   lambda a, b, c, x=x, y=y: c + sum(p * q for p, q in zip(parts(a, 4, x), parts(b, 4, y))))
            for half, first in (("lo", 0), ("hi", 2)):
                yield (f"dp2a.{half}.{x}.{y} d, a, b, c", "d:u32", "a:u32 b:u32 c:u32",
                       lambda a, b, c, x=x, y=y, first=first:
                       c + sum(p * q for p, q in zip(parts(a, 2, x), parts(b, 4, y)[first:])))


def each_half(function, kind):
    def model(a, b):
        results = [function(integer(kind, p), integer(kind, q)) for p, q in zip(halves(a), halves(b))]
        return joined(*(r & 0xFFFF for r in results))
    return model


def pairs():
    for kind in ("u16", "s16"):
        for name, function in (("add", lambda a, b: a + b), ("min", min), ("max", max)):
            yield f"{name}.{kind}x2 d, a, b", "d:u32", "a:u32 b:u32", each_half(function, kind)
    yield "min.s32.relu d, a, b", "d:s32", "a:s32 b:s32", lambda a, b: max(min(a, b), 0)
    yield "max.s32.relu d, a, b", "d:s32", "a:s32 b:s32", lambda a, b: max(a, b, 0)
    yield "min.s16x2.relu d, a, b", "d:u32", "a:u32 b:u32", each_half(lambda a, b: max(min(a, b), 0), "s16")
    yield "max.s16x2.relu d, a, b", "d:u32", "a:u32 b:u32", each_half(lambda a, b: max(a, b, 0), "s16")
    yield "min.relu.s16x2 d, a, b", "d:u32", "a:u32 b:u32", each_half(lambda a, b: max(min(a, b), 0), "s16")
    yield "max.relu.s16x2 d, a, b", "d:u32", "a:u32 b:u32", each_half(lambda a, b: max(a, b, 0), "s16")


def carries():
    """The carry of a difference says that there is no borrow, as that of a sum with the complement does."""
    for kind in WIDE:
        bits, ones = size(kind), mask(kind)

        def sum_of(a, b, carry, bits=bits, ones=ones):
            total = (a & ones) + (b & ones) + carry
            return total & ones, total >> bits

        def twice(a, b, flip, sum_of=sum_of, ones=ones):
            low, carry = sum_of(a, ~b if flip else b, int(flip))
            high, carry = sum_of(b, ~a if flip else a, carry)
            return low, high, sum_of(a, ~a if flip else a, carry)[0]
        for name, flip in (("add", False), ("sub", True)):
            yield (f"{name}.cc.{kind} d, a, b; {name}c.cc.{kind} e, b, a; {name}c.{kind} f, a, a", f"d:{kind} e:{kind} f:{kind}",
                   f"a:{kind} b:{kind}", lambda a, b, twice=twice, flip=flip: twice(a, b, flip))
        yield (f"sub.cc.{kind} d, a, b; addc.{kind} e, 0, 0; add.cc.{kind} d, a, b; subc.{kind} f, 0, 0", f"e:{kind} f:{kind} d:{kind}",
               f"a:{kind} b:{kind}", lambda a, b, sum_of=sum_of, ones=ones:
               (sum_of(a, ~b, 1)[1], sum_of(a, b, 0)[1] - 1, a + b))

        def products(a, b, c, sum_of=sum_of, bits=bits):
            low, carry = sum_of(a * b, c, 0)
            high, carry = sum_of(a * b >> bits, c, carry)
            return low, high, carry
        yield (f"mad.lo.cc.{kind} d, a, b, c; madc.hi.cc.{kind} e, a, b, c; addc.{kind} f, 0, 0", f"d:{kind} e:{kind} f:{kind}",
               f"a:{kind} b:{kind} c:{kind}", products)
    for kind in ("u16", "s16"):  # these take a carry, and give none
        yield (f"add.cc.u32 d, a, b; addc.{kind} e, p, q; subc.{kind} f, p, q; madc.lo.{kind} g, p, q, p; madc.hi.{kind} h, p, q, q",
               f"d:u32 e:{kind} f:{kind} g:{kind} h:{kind}", f"a:u32 b:u32 p:{kind} q:{kind}",
               lambda a, b, p, q: (a + b, p + q + ((a + b) >> 32), p - q - 1 + ((a + b) >> 32), p * q + p + ((a + b) >> 32),
                                   (p * q >> 16) + q + ((a + b) >> 32)))


def nth_set(word, base, offset):
    """PTX ISA, fns."""
    if offset == 0:
        return base if base < 32 and word >> base & 1 else -1
    position, count, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= position < 32:
        if word >> position & 1:
            if count == 0:
                return position
            count -= 1
        position += step
    return -1


def highest(kind, value):
    value = ~value if value < 0 else value
    return value.bit_length() - 1


def field(kind):
    def model(a, position, length):
        position, length, bits = position & 255, length & 255, size(kind)
        if length == 0:
            return 0
        value = signed(a, bits) if kind[0] == "s" else a & mask(kind)
        value >>= position
        return signed(value, length) if kind[0] == "s" and length < bits else value & ((1 << length) - 1)
    return model


def inserted(bits):
    def model(a, b, position, length):
        ones = ((1 << (length & 255)) - 1) << (position & 255)
        return b & ~ones | a << (position & 255) & ones & ((1 << bits) - 1)
    return model


def bits_of_words():
    yield "fns.b32 d, a, b, c", "d:u32", "a:u32 b:u32@0..31 c:s32@-9..9", nth_set
    yield "fns.b32 d, a, b, c", "d:u32", "a:u32@0,1,0x80000000,0xffffffff,0x55555555 b:u32@0,1,16,31 c:s32@-32,-1,0,1,2,16,32", nth_set
    for kind in ("b32", "b64"):
        bits = size(kind)
        yield f"popc.{kind} d, a", "d:u32", f"a:{kind}", lambda a: bin(a).count("1")
        yield f"clz.{kind} d, a", "d:u32", f"a:{kind}", lambda a, bits=bits: bits - a.bit_length()
        yield f"brev.{kind} d, a", f"d:{kind}", f"a:{kind}", lambda a, bits=bits: int(f"{a:0{bits}b}"[::-1], 2)
        yield (f"bfi.{kind} d, a, b, c, e", f"d:{kind}", f"a:{kind} b:{kind} c:u32@0..66 e:u32@0..66", inserted(bits))
    for kind in WIDE:
        bits = size(kind)
        yield f"bfind.{kind} d, a", "d:u32", f"a:{kind}", lambda a, kind=kind: highest(kind, a)
        yield (f"bfind.shiftamt.{kind} d, a", "d:u32", f"a:{kind}",
               lambda a, kind=kind, bits=bits: -1 if highest(kind, a) < 0 else bits - 1 - highest(kind, a))
        yield f"bfe.{kind} d, a, b, c", f"d:{kind}", f"a:{kind} b:u32@0..66 c:u32@0..66", field(kind)
    for mode in ("clamp", "wrap"):
        def count(value, mode=mode):
            return min(value, 32) if mode == "clamp" else value & 31
        for kind in ("s32", "u32"):
            yield (f"szext.{mode}.{kind} d, a, b", "d:u32", f"a:{kind} b:{SHIFTS}",
                   lambda a, b, kind=kind, count=count: field(kind)(a, 0, count(b)))
        yield (f"bmsk.{mode}.b32 d, a, b", "d:u32", f"a:{SHIFTS} b:{SHIFTS}",
               lambda a, b, count=count, mode=mode: ((1 << count(b)) - 1) << min(a, 32) if mode == "clamp" else
               ((1 << (b & 31)) - 1) << (a & 31))
        yield (f"shf.l.{mode}.b32 d, a, b, c", "d:u32", f"a:u32 b:u32 c:{SHIFTS}",
               lambda a, b, c, count=count: joined(a, b, 32) << count(c) >> 32)
        yield (f"shf.r.{mode}.b32 d, a, b, c", "d:u32", f"a:u32 b:u32 c:{SHIFTS}",
               lambda a, b, c, count=count: joined(a, b, 32) >> count(c))


def lookup(a, b, c, table):
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))


def permuted(mode):
    def model(a, b, c):
        data = [(a | b << 32) >> 8 * i & 255 for i in range(8)]
        low = c & 3
        chosen = {"f4e": [low, low + 1, low + 2, low + 3], "b4e": [low, (low + 7) % 8, (low + 6) % 8, (low + 5) % 8],
                  "rc8": [low] * 4, "ecl": [max(i, low) for i in range(4)], "ecr": [min(i, low) for i in range(4)],
                  "rc16": [2 * (low & 1), 2 * (low & 1) + 1] * 2}.get(mode, [c >> 4 * i & 7 for i in range(4)])
        replicated = [c >> (4 * i + 3) & 1 if not mode else 0 for i in range(4)]
        picked = [255 * (data[n] >> 7) if sign else data[n] for n, sign in zip(chosen, replicated)]
        return sum(byte << 8 * i for i, byte in enumerate(picked))
    return model


def combined(name, x, y):
    return {"and": x & y, "or": x | y, "xor": x ^ y}[name]


def logic():
    for kind in ("b16", "b32", "b64"):
        for name in ("and", "or", "xor"):
            yield two(name, kind, lambda a, b, name=name: combined(name, a, b))
        yield f"not.{kind} d, a", f"d:{kind}", f"a:{kind}", lambda a: ~a
        yield f"cnot.{kind} d, a", f"d:{kind}", f"a:{kind}@0,1,2,0x8000", lambda a: a == 0
        yield f"shl.{kind} d, a, b", f"d:{kind}", f"a:{kind} b:{SHIFTS}", lambda a, b: a << min(b, 64)
    for kind in ("b16", "b32", "b64") + INTEGERS:
        yield f"shr.{kind} d, a, b", f"d:{kind}", f"a:{kind} b:{SHIFTS}", lambda a, b: a >> min(b, 64)
    for name in ("and", "or", "xor"):
        yield f"{name}.pred d, a, b", "d:pred", "a:pred@0,1 b:pred@0,1", lambda a, b, name=name: combined(name, a, b)
        if name == "xor":
            continue
        yield (f"lop3.{name}.b32 d|e, a, b, c, 0x3f, f", "d:u32 e:pred", "a:u32@0,1,5 b:u32@0,1 c:u32@0,4 f:pred@0,1",
               lambda a, b, c, f, name=name: (lookup(a, b, c, 0x3F), combined(name, lookup(a, b, c, 0x3F) != 0, f)))
        yield (f"lop3.{name}.b32 _|e, a, b, c, 0x80, !f", "e:pred", "a:u32@0,1,5 b:u32@0,1 c:u32@0,1 f:pred@0,1",
               lambda a, b, c, f, name=name: combined(name, lookup(a, b, c, 0x80) != 0, 1 - f))
    yield "not.pred d, a", "d:pred", "a:pred@0,1", lambda a: 1 - a
    yield "mov.pred d, a", "d:pred", "a:pred@0,1", lambda a: a
    for table in (0x3F, 0x96, 0xE8, 0xCA, 0, 255):
        yield f"lop3.b32 d, a, b, c, {table}", "d:u32", "a:u32 b:u32 c:u32", lambda a, b, c, table=table: lookup(a, b, c, table)
    yield "prmt.b32 d, a, b, c", "d:u32", "a:u32 b:u32 c:u32", permuted("")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield f"prmt.b32.{mode} d, a, b, c", "d:u32", "a:u32 b:u32 c:u32", permuted(mode)


def comparisons():
    kinds = [("b16", SIGNED[:2]), ("b32", SIGNED[:2]), ("b64", SIGNED[:2])]
    kinds += [(kind, SIGNED if kind[0] == "s" else SIGNED + ("lo", "ls", "hi", "hs")) for kind in INTEGERS]
    for kind, relations in kinds:
        near = f"a:{kind}@0,1,0x7fff,0x8000,0x80000000,0x8000000000000000,-1 b:{kind}@0,1,0x7fff,0x8000,0x80000000,-1"
        for relation in relations:
            def model(a, b, relation=relation):
                return compare(relation, a, b)
            yield f"setp.{relation}.{kind} d, a, b", "d:pred", near, model
            yield f"set.{relation}.u32.{kind} d, a, b", "d:u32", near, lambda a, b, model=model: -model(a, b)
            yield f"set.{relation}.f32.{kind} d, a, b", "d:u32", near, lambda a, b, model=model: 0x3F800000 * model(a, b)
        for name in ("and", "or", "xor"):
            yield (f"setp.ne.{name}.{kind} d|e, a, b, !c", "d:pred e:pred", near + " c:pred@0,1",
                   lambda a, b, c, name=name: (combined(name, a != b, 1 - c), combined(name, a == b, 1 - c)))
            yield (f"set.ne.{name}.s32.{kind} d, a, b, c", "d:u32", near + " c:pred@0,1",
                   lambda a, b, c, name=name: -combined(name, int(a != b), c))
            yield (f"set.eq.{name}.f32.{kind} d, a, b, !c", "d:u32", near + " c:pred@0,1",
                   lambda a, b, c, name=name: 0x3F800000 * combined(name, int(a == b), 1 - c))
        yield f"slct.{kind}.s32 d, a, b, c", f"d:{kind}", f"a:{kind} b:{kind} c:s32", lambda a, b, c: a if c >= 0 else b
        yield f"selp.{kind} d, a, b, c", f"d:{kind}", f"a:{kind} b:{kind} c:pred@0,1", lambda a, b, c: a if c else b


def conversions():
    kinds = ("u8", "s8") + INTEGERS
    for to in kinds:
        for start in kinds:
            yield f"cvt.{to}.{start} d, a", f"d:{to}", f"a:{start}", lambda a: a
            least, most = bounds(to)
            if bounds(start)[0] < least or bounds(start)[1] > most:
                yield (f"cvt.sat.{to}.{start} d, a", f"d:{to}", f"a:{start}",
                       lambda a, least=least, most=most: clamp(a, least, most))
    # a register wider than the type holds the number extended
    yield "cvt.s8.s32 d, a", "d:u32", "a:s32", lambda a: signed(a, 8)
    yield "cvt.u8.s32 d, a", "d:u32", "a:s32", lambda a: a & 255
    yield "cvt.s16.s64 d, a", "d:u64", "a:s64", lambda a: signed(a, 16)
    yield "cvt.s8.s8 d, a", "d:u64", "a:u64", lambda a: signed(a, 8)
    yield "cvt.u16.u32 d, a", "d:u64", "a:u64", lambda a: a & 0xFFFF


def packs():
    for kind in ("u16", "s16"):
        yield (f"cvt.pack.sat.{kind}.s32 d, a, b", "d:u32", f"a:s32 b:s32@-70000..70000",
               lambda a, b, kind=kind: joined(saturated(kind, b) & 0xFFFF, saturated(kind, a) & 0xFFFF))
    for bits in (2, 4, 8):
        for sign in "us":
            def model(a, b, c, bits=bits, sign=sign):
                high, low = (saturated(f"{sign}{bits}", v) & ((1 << bits) - 1) for v in (a, b))
                return c << 2 * bits | high << bits | low
            yield (f"cvt.pack.sat.{sign}{bits}.s32.b32 d, a, b, c", "d:u32", "a:s32@-300..300 b:s32@-9..9 c:u32", model)
    yield "mov.b64 d, {a, b}", "d:u64", "a:u32 b:u32", lambda a, b: joined(a, b, 32)
    yield "mov.b64 {d, e}, a", "d:u32 e:u32", "a:u64", lambda a: (a, a >> 32)
    yield "mov.b64 {_, e}, a", "e:u32", "a:u64", lambda a: a >> 32
    yield "mov.b32 d, {a, b}", "d:u32", "a:u16 b:u16", joined
    yield "mov.b32 {d, e}, a", "d:u16 e:u16", "a:u32", lambda a: (a, a >> 16)
    yield "mov.b64 {d, e, f, g}, a", "d:u16 e:u16 f:u16 g:u16", "a:u64", lambda a: (a, a >> 16, a >> 32, a >> 48)
    yield "mov.u32 d, 0U", "d:u32", "a:u32", lambda a: 0
    yield "mov.u32 d, 0x10U", "d:u32", "a:u32", lambda a: 16
    yield "add.u32 d, 1, 2", "d:u32", "a:u32", lambda a: 3
    yield "bfi.b64 d, a, 0x100000000, 4, 8", "d:u64", "a:u64", lambda a: inserted(64)(a, 1 << 32, 4, 8)


def rows():
    for table in (arithmetic, saturating, dots, pairs, carries, bits_of_words, logic, comparisons, conversions, packs):
        yield from table()
