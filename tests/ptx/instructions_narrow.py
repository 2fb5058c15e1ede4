"""Conversions of floats of PTX, by the PTX ISA ("cvt")."""
from fractions import Fraction

from instructions_float import in_range, positive
from numbers_ptx import (FORMATS, bounds, clamp, decode, encode, flushed, is_nan, is_negative, joined, negated, number, round_integer,
                         saturated, size)

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
ROUNDINGS = ("rn", "rz", "rm", "rp")


def integral(kind, value, mode):
    """The integer of a type nearest to a value; of a NaN 0, or the highest bit from f64 and to 64 bits."""
    if value in ("inf", "-inf"):
        return bounds(kind)[value == "inf"]
    return saturated(kind, round_integer(number(value), mode))


def to_integers():
    for start in FLOATS:
        for to in INTEGERS:
            if start == "bf16" and size(to) == 8:
                continue
            of_nan = 1 << (size(to) - 1) if start == "f64" or size(to) == 64 else 0
            for mode in ROUNDINGS:
                def model(a, start=start, to=to, mode=mode, of_nan=of_nan):
                    value = decode(start, a)
                    return of_nan if is_nan(value) else integral(to, value, mode)
                yield f"cvt.{mode}i.{to}.{start} d, a", f"d:{to}", f"a:{start}", model
    yield ("cvt.rni.ftz.s32.f32 d, a", "d:s32", "a:f32",
           lambda a: 0 if is_nan(decode("f32", a)) else integral("s32", flushed("f32", decode("f32", a)), "rn"))


def from_integers():
    for to in FLOATS:
        for start in INTEGERS:
            for mode in () if to == "bf16" and size(start) == 8 else ROUNDINGS:
                yield (f"cvt.{mode}.{to}.{start} d, a", f"d:{to}", f"a:{start}",
                       lambda a, to=to, mode=mode: encode(to, Fraction(a), mode))


def between_floats():
    widths = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}
    for to in FLOATS:
        for start in FLOATS:
            if to == start:
                for mode in ROUNDINGS:
                    yield f"cvt.{mode}i.{to}.{to} d, a", f"d:{to}", f"a:{to}", rounded(to, mode)
                continue
            modes = ROUNDINGS if widths[to] <= widths[start] else ("",)
            for mode in modes:
                dot = f".{mode}" if mode else ""
                yield (f"cvt{dot}.{to}.{start} d, a", f"d:{to}", f"a:{start}",
                       lambda a, to=to, start=start, mode=mode: encode(to, decode(start, a), mode or "rn"))
                if "bf16" not in (to, start):
                    yield (f"cvt{dot}.sat.{to}.{start} d, a", f"d:{to}", f"a:{start}",
                           lambda a, to=to, start=start, mode=mode:
                           encode(to, in_range(decode(to, encode(to, decode(start, a), mode or "rn")))))
    yield "cvt.ftz.sat.f32.f32 d, a", "d:f32", "a:f32", lambda a: encode("f32", in_range(flushed("f32", decode("f32", a))))
    yield "cvt.sat.f32.f32 d, a", "d:f32", "a:f32", lambda a: encode("f32", in_range(decode("f32", a)))
    yield "cvt.rn.ftz.f16.f32 d, a", "d:f16", "a:f32", lambda a: encode("f16", flushed("f32", decode("f32", a)))
    yield "cvt.ftz.f64.f32 d, a", "d:f64", "a:f32", lambda a: encode("f64", flushed("f32", decode("f32", a)))


def rounded(kind, mode):
    """To a whole number, with the sign of what it was."""
    def model(a):
        value = decode(kind, a)
        if isinstance(value, str):
            return encode(kind, value)
        result = Fraction(round_integer(value, mode))
        return encode(kind, "-0" if result == 0 and value < 0 else result)
    return model


def finite(kind, value):
    """satfinite: beyond the greatest number that number."""
    most = decode(kind, FORMATS[kind][2] - 1)
    if value in ("inf", "-inf"):
        return most if value == "inf" else negated(most)
    return clamp(value, -most, most) if isinstance(value, Fraction) else value


def narrowed(kind, mode, dots):
    def model(a):
        value = decode("f32", a)
        value = finite(kind, value) if "satfinite" in dots else value
        value = decode(kind, encode(kind, value, mode))
        return encode(kind, positive(value) if "relu" in dots else value)
    return model


def packed():
    for kind in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            for dots in ("", ".relu", ".satfinite", ".relu.satfinite", ".satfinite.relu"):
                model = narrowed(kind, mode, dots)
                yield (f"cvt.{mode}{dots}.{kind}x2.f32 d, a, b", "d:u32", "a:f32 b:f32",
                       lambda a, b, model=model: joined(model(b), model(a)))
                if dots:
                    yield f"cvt.{mode}{dots}.{kind}.f32 d, a", f"d:{kind}", "a:f32", model


def tensor_float(mode, dots):
    """tf32 is f32 with a fraction of 10 bits; ra rounds halves away from zero."""
    def model(a):
        value = decode("f32", a)
        if is_nan(value):
            return 0x7FFFFFFF
        most = Fraction(2) ** 127 * (2 - Fraction(1, 1024))
        if "satfinite" in dots:
            value = clamp(value, -most, most) if isinstance(value, Fraction) else most if value == "inf" else -most if value == "-inf" else value
        value = positive(value) if "relu" in dots else value
        if isinstance(value, str) or value == 0:
            return encode("f32", value)
        bits = encode("f32", abs(value))
        result = round_integer(Fraction(bits, 1 << 13), mode) << 13
        return result | (0x80000000 if is_negative(value) else 0)
    return model


def tensor_floats():
    for dots in ("", ".satfinite"):
        yield f"cvt.rna{dots}.tf32.f32 d, a", "d:u32", "a:f32", tensor_float("ra", dots)
    for mode in ("rn", "rz"):
        for dots in ("", ".relu", ".satfinite", ".satfinite.relu"):
            yield f"cvt.{mode}{dots}.tf32.f32 d, a", "d:u32", "a:f32", tensor_float(mode, dots)


def tiny(kind, value, relu):
    """Beyond the greatest number that number; a NaN is one where there is one, else the greatest number."""
    exponent_bits, fraction_bits = FORMATS[kind][:2]
    value = positive(value) if relu else value
    if is_nan(value):
        return FORMATS[kind][3]
    bits = encode(kind, finite(kind, value), "rn", finite=True)
    return bits & ((1 << (1 + exponent_bits + fraction_bits)) - 1)


def tinies():
    near = "f32@0,0x80000000,0x3f800000,0x43e00000,0x43e80000,0x43f00000,0x47600000,0x47700000,0x3c800000,0x3b000000,0x3a800000," \
           "0x3a800001,0x3b400000,0x37800000,0x37000000,0x37000001,0x7f800000,0xff800000,0x7fc00000,0xbf19999a,0x3f500000,0x40f80000," \
           "0x41e80000,0x40d00000,0x3e800000,0x3e000000,0xbd800000,0x3dc00000,0x40a00000,0x40e00000,0x3f400000,0x1,0x42c8cccd"
    for kind in ("e4m3", "e5m2", "e3m2", "e2m3"):
        for relu in ("", ".relu"):
            def model(a, b, kind=kind, relu=relu):
                return joined(tiny(kind, decode("f32", b), relu), tiny(kind, decode("f32", a), relu), 8)
            yield f"cvt.rn.satfinite{relu}.{kind}x2.f32 d, a, b", "d:u16", f"a:{near} b:f32", model
            yield f"cvt.rn.satfinite{relu}.{kind}x2.f32 d, b, a", "d:u16", f"a:{near} b:{near}", lambda a, b, model=model: model(b, a)
            yield (f"cvt.rn{relu}.f16x2.{kind}x2 d, a", "d:u32", "a:u16@0x7f80,0xff7e,0x0001,0x3839,0x7c7d,0x0708,0x8100,0xfbfc,0x2f3f,0x1f20"
                   if kind[:2] in ("e4", "e5") else "a:u16@0x0001,0x1f20,0x2f3f,0x0708,0x1011,0x3130,0x2021",
                   lambda a, kind=kind, relu=relu: joined(*(widened(kind, a >> at & 255, relu) for at in (0, 8))))
    for kind in ("e4m3", "e5m2"):
        yield f"cvt.rn.f16x2.{kind}x2 d, a", "d:u32", "a:u16", lambda a, kind=kind: joined(*(widened(kind, a >> at & 255, "") for at in (0, 8)))
        for relu in ("", ".relu"):
            yield (f"cvt.rn.satfinite{relu}.{kind}x2.f16x2 d, a", "d:u16", "a:u32@f16",
                   lambda a, kind=kind, relu=relu: joined(*(tiny(kind, decode("f16", a >> at & 0xFFFF), relu) for at in (0, 16)), 8))


def quarters():
    """e2m1: two numbers in a byte. PTX has them in registers of 8 bits."""
    for relu in ("", ".relu"):
        def narrow(a, b, relu=relu):
            return joined(tiny("e2m1", decode("f32", b), relu), tiny("e2m1", decode("f32", a), relu), 4)
        yield f".reg .b8 t; cvt.rn.satfinite{relu}.e2m1x2.f32 t, a, b; cvt.u16.u8 d, t", "d:u16", "a:f32 b:f32", narrow
        yield (f".reg .b8 t; cvt.rn.satfinite{relu}.e2m1x2.f16x2 t, a; cvt.u16.u8 d, t", "d:u16", "a:u32@f16",
               lambda a, relu=relu: joined(*(tiny("e2m1", decode("f16", a >> at & 0xFFFF), relu) for at in (0, 16)), 4))
        yield (f".reg .b8 t; cvt.u8.u16 t, a; cvt.rn{relu}.f16x2.e2m1x2 d, t", "d:u32", "a:u16",
               lambda a, relu=relu: joined(*(widened("e2m1", a >> at & 15, relu) for at in (0, 4))))


def power(kind, mode, finite_only):
    """ue8m0: the exponent of a power of two, the sign does not count. 0 is 2^-127, the least number."""
    def model(bits):
        value = decode(kind, bits)
        if is_nan(value):
            return 255
        value = 0 if value == "-0" else value
        if isinstance(value, str):
            return 254 if finite_only else 255
        exponent = 0
        while exponent < 255 and Fraction(2) ** (exponent + 1 - 127) <= abs(value):
            exponent += 1
        if mode == "rp" and abs(value) > Fraction(2) ** (exponent - 127):
            exponent += 1
        return min(exponent, 254) if finite_only else min(exponent, 255)
    return model


def powers():
    near = "f32@0,0x80000000,1,0x3fffff,0x400000,0x400001,0x7fffff,0x800000,0x800001,0x3f800000,0xbf800001,0x3fffffff,0x7f7fffff,0x7f000000," \
           "0x7f000001,0xff7fffff,0x7f800000,0xff800000,0x7fc00000,0xffc00001"
    for mode in ("rz", "rp"):
        for dots in ("", ".satfinite"):
            of_f32, of_bf16 = power("f32", mode, dots), power("bf16", mode, dots)
            for source in (near, "f32"):
                yield (f"cvt.{mode}{dots}.ue8m0x2.f32 d, a, b" + ";" * (source == near), "d:u16", f"a:{source} b:f32",
                       lambda a, b, of=of_f32: joined(of(b), of(a), 8))
            yield (f"cvt.{mode}{dots}.ue8m0x2.bf16x2 d, a", "d:u16", "a:u32@bf16",
                   lambda a, of=of_bf16: joined(of(a & 0xFFFF), of(a >> 16), 8))
    for source in ("u16", "u16@0,0xff00,0x00ff,0x01fe,0x7f80"):
        yield ("cvt.rn.bf16x2.ue8m0x2 d, a" + ";" * (source != "u16"), "d:u32", f"a:{source}",
               lambda a: joined(*(0x7FFF if a >> at & 255 == 255 else encode("bf16", Fraction(2) ** ((a >> at & 255) - 127)) for at in (0, 8))))


def widened(kind, bits, relu):
    value = decode(kind, bits)
    return encode("f16", positive(value) if relu else value)


def rows():
    for table in (to_integers, from_integers, between_floats, packed, tensor_floats, tinies, quarters, powers):
        yield from table()
