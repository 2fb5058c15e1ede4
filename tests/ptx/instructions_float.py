"""Floats of PTX: arithmetic, least and greatest, comparisons, by the PTX ISA."""
import math
from fractions import Fraction

from numbers_ptx import (FORMATS, Near, absolute, add, decode, encode, flushed, halves, holds, is_nan, is_negative, joined, larger, multiply,
                         negated, number, smaller)

ROUNDINGS = ("rn", "rz", "rm", "rp")
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
SINGLE = ("f32", "f64", "f16", "bf16")


def in_range(value):
    """sat: from 0 to 1, of a NaN 0."""
    return Fraction(0) if is_nan(value) else smaller(larger(value, Fraction(0)), Fraction(1))


def positive(value):
    """relu: a negative number and -0 are 0, a NaN stays one."""
    return larger(value, Fraction(0), True)


def of(kind, operate, mode="rn", ftz=False, sat=False, relu=False):
    """A model over bits of a function of values."""
    def model(*bits):
        values = [decode(kind, each) for each in bits]
        values = [flushed(kind, value) for value in values] if ftz else values
        result = decode(kind, encode(kind, operate(*values), mode))
        result = flushed(kind, result) if ftz else result
        result = in_range(result) if sat else positive(result) if relu else result
        return encode(kind, result)
    return model


def each(model, width=16):
    """The same of both halves."""
    def both(*words):
        low, high = (model(*(word >> at & ((1 << width) - 1) for word in words)) for at in (0, width))
        return joined(low, high, width)
    return both


def fused(x, y, z, mode="rn"):
    return add(multiply(x, y), z, mode)


def minus(x, y, mode="rn"):
    return add(x, negated(y), mode)


OPERATIONS = {"add": (add, 2), "sub": (minus, 2), "mul": (lambda x, y, mode: multiply(x, y), 2), "fma": (fused, 3)}


def row_of(name, dots, kind, count, model):
    letters = "abc"[:count]
    word = f"u32@{kind[:-2]}" if kind.endswith("16x2") else "u64@f32" if kind == "f32x2" else kind
    out = {"f16x2": "u32", "bf16x2": "u32", "f32x2": "u64"}.get(kind, kind)
    return (f"{name}{dots}.{kind} d, {', '.join(letters)}", f"d:{out}", " ".join(f"{letter}:{word}" for letter in letters), model)


def rounded_rows():
    for name, (operate, count) in OPERATIONS.items():
        for mode in ROUNDINGS:
            def exact(*values, operate=operate, mode=mode):
                return operate(*values, mode)
            for kind in ("f32", "f64"):
                yield row_of(name, f".{mode}", kind, count, of(kind, exact, mode))
            yield row_of(name, f".{mode}", "f32x2", count, each(of("f32", exact, mode), 32))
            yield row_of(name, f".{mode}.ftz", "f32x2", count, each(of("f32", exact, mode, ftz=True), 32))
            yield row_of(name, f".{mode}.ftz.sat", "f32", count, of("f32", exact, mode, ftz=True, sat=True))

        def exact(*values, operate=operate):
            return operate(*values, "rn")
        for kind in ("f16", "bf16"):
            dots = [".rn"] + ([".rn.ftz", ".rn.sat", ".rn.ftz.sat"] if kind == "f16" else [])
            dots += [".rn.relu", ".rn.oob", ".rn.oob.relu"] + ([".rn.ftz.relu"] if kind == "f16" else []) if name == "fma" else []
            for dot in dots:
                model = of(kind, exact, ftz="ftz" in dot, sat="sat" in dot, relu="relu" in dot)
                yield row_of(name, dot, kind, count, model)
                yield row_of(name, dot, kind + "x2", count, each(model))


def divided(x, y):
    if is_nan(x) or is_nan(y):
        return "nan"
    negative = is_negative(x) != is_negative(y)
    x, y = (v if v in ("inf", "-inf") else number(v) for v in (x, y))
    if isinstance(y, str):
        return "nan" if isinstance(x, str) else "-0" if negative else Fraction(0)
    if isinstance(x, str) or y == 0:
        return "nan" if x == 0 else "-inf" if negative else "inf"
    return x / y if x != 0 else "-0" if negative else Fraction(0)


def divisions():
    for mode in ROUNDINGS:
        for kind in ("f32", "f64"):
            yield row_of("div", f".{mode}", kind, 2, of(kind, divided, mode))
            yield row_of("rcp", f".{mode}", kind, 1, of(kind, lambda x: divided(Fraction(1), x), mode))
    yield row_of("div", ".rn.ftz", "f32", 2, of("f32", divided, ftz=True))
    # of the inexact ones hexec makes the exact result
    yield row_of("div", ".full", "f32", 2, of("f32", divided))
    yield row_of("div", ".full.ftz", "f32", 2, of("f32", divided, ftz=True))


def mixed():
    """f16 and bf16 with f32."""
    for kind in ("f16", "bf16"):
        for mode in ROUNDINGS:
            for sat in ("", ".sat"):
                def result(value, mode=mode, sat=sat):
                    value = decode("f32", encode("f32", value, mode))
                    return encode("f32", in_range(value) if sat else value)
                yield (f"add.{mode}{sat}.f32.{kind} d, a, b", "d:f32", f"a:{kind} b:f32",
                       lambda a, b, kind=kind, mode=mode, result=result: result(add(decode(kind, a), decode("f32", b), mode)))
                yield (f"sub.{mode}{sat}.f32.{kind} d, a, b", "d:f32", f"a:{kind} b:f32",
                       lambda a, b, kind=kind, mode=mode, result=result: result(minus(decode(kind, a), decode("f32", b), mode)))
                yield (f"fma.{mode}{sat}.f32.{kind} d, a, b, c", "d:f32", f"a:{kind} b:{kind} c:f32",
                       lambda a, b, c, kind=kind, mode=mode, result=result:
                       result(fused(decode(kind, a), decode(kind, b), decode("f32", c), mode)))


def chosen(name, dots):
    """min and max: the values, then the modifiers."""
    function = smaller if name == "min" else larger

    def choose(*values):
        takes_magnitudes = ".abs" in dots
        sign = sum(is_negative(v) for v in values) & 1
        values = [absolute(v) for v in values] if takes_magnitudes else list(values)
        result = values[0]
        for value in values[1:]:
            result = function(result, value, ".NaN" in dots)
        return negated(result) if "xorsign" in dots and sign and not is_nan(result) else result
    return choose


def signed_nan(kind, dots, choose, ftz):
    """min.xorsign.abs: the sign is that of the bits, a NaN operand's too."""
    exponent_bits, fraction_bits = FORMATS[kind][:2]
    top = 1 << (exponent_bits + fraction_bits)
    if "xorsign" not in dots:
        return of(kind, choose, ftz=ftz)
    plain = of(kind, choose, ftz=ftz)

    def model(a, b):
        result = plain(a & ~top, b & ~top)
        return result if is_nan(decode(kind, result)) else result | (a ^ b) & top
    return model


def extremes():
    for name in ("min", "max"):
        for dots in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            for ftz in ("", ".ftz"):
                model = signed_nan("f32", dots, chosen(name, dots), bool(ftz))
                yield row_of(name, ftz + dots, "f32", 2, model)
                model = signed_nan("f16", dots, chosen(name, dots), bool(ftz))
                yield row_of(name, ftz + dots, "f16", 2, model)
                yield row_of(name, ftz + dots, "f16x2", 2, each(model))
            model = signed_nan("bf16", dots, chosen(name, dots), False)
            yield row_of(name, dots, "bf16", 2, model)
            yield row_of(name, dots, "bf16x2", 2, each(model))
        yield row_of(name, "", "f64", 2, of("f64", chosen(name, "")))
        for dots in ("", ".NaN", ".abs", ".NaN.abs"):
            for ftz in ("", ".ftz"):
                yield row_of(name, ftz + dots, "f32", 3, of("f32", chosen(name, dots), ftz=bool(ftz)))


def signs():
    for kind in SINGLE:
        exponent_bits, fraction_bits = FORMATS[kind][:2]
        top = 1 << (exponent_bits + fraction_bits)
        some = f"a:{kind} b:{kind}"
        yield f"abs.{kind} d, a", f"d:{kind}", f"a:{kind}", lambda a, top=top: a & ~top
        yield f"neg.{kind} d, a", f"d:{kind}", f"a:{kind}", lambda a, top=top: a ^ top
        if kind in ("f32", "f64"):
            yield f"copysign.{kind} d, a, b", f"d:{kind}", some, lambda a, b, top=top: a & top | b & ~top
            for name, test in TESTS.items():
                yield (f"testp.{name}.{kind} d, a", "d:pred", f"a:{kind}",
                       lambda a, kind=kind, test=test: test(kind, decode(kind, a)))
        else:
            yield row_of("abs", "", kind + "x2", 1, each(lambda a, top=top: a & ~top))
            yield row_of("neg", "", kind + "x2", 1, each(lambda a, top=top: a ^ top))


TESTS = {"finite": lambda kind, v: v not in ("inf", "-inf", "nan"), "infinite": lambda kind, v: v in ("inf", "-inf"),
         "number": lambda kind, v: v != "nan", "notanumber": lambda kind, v: v == "nan",
         "normal": lambda kind, v: v not in ("inf", "-inf", "nan") and (number(v) == 0 or flushed(kind, v) == v),
         "subnormal": lambda kind, v: v not in ("inf", "-inf", "nan") and flushed(kind, v) != v}
COMBINED = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}
ONE = {"f16": 0x3C00, "bf16": 0x3F80}


def comparison(kind, relation, ftz=False):
    def model(a, b):
        x, y = decode(kind, a), decode(kind, b)
        return int(holds(relation, flushed(kind, x), flushed(kind, y)) if ftz else holds(relation, x, y))
    return model


def comparisons():
    for kind in SINGLE:
        some = f"a:{kind} b:{kind}"
        for relation in RELATIONS:
            model = comparison(kind, relation)
            yield f"setp.{relation}.{kind} d, a, b", "d:pred", some, model
            yield f"set.{relation}.u32.{kind} d, a, b", "d:u32", some, lambda a, b, model=model: -model(a, b)
            if kind in ONE:
                yield (f"set.{relation}.{kind}.{kind} d, a, b", f"d:{kind}", some,
                       lambda a, b, model=model, kind=kind: ONE[kind] * model(a, b))
                yield f"set.{relation}.u16.{kind} d, a, b", "d:u16", some, lambda a, b, model=model: -model(a, b)
            else:
                yield f"set.{relation}.f32.{kind} d, a, b", "d:u32", some, lambda a, b, model=model: 0x3F800000 * model(a, b)
        for name, combine in COMBINED.items():
            model = comparison(kind, "ltu")
            yield (f"setp.ltu.{name}.{kind} d, a, b, c", "d:pred", some + " c:pred@0,1",
                   lambda a, b, c, model=model, combine=combine: combine(model(a, b), c))
            yield (f"set.ltu.{name}.s32.{kind} d, a, b, !c", "d:u32", some + " c:pred@0,1",
                   lambda a, b, c, model=model, combine=combine: -combine(model(a, b), 1 - c))
    yield "setp.lt.ftz.f32 d, a, b", "d:pred", "a:f32 b:f32", comparison("f32", "lt", True)
    yield "set.lt.ftz.u32.f32 d, a, b", "d:u32", "a:f32 b:f32", lambda a, b: -comparison("f32", "lt", True)(a, b)
    yield "set.lt.f16.f32 d, a, b", "d:u16", "a:f32 b:f32", lambda a, b: 0x3C00 * comparison("f32", "lt")(a, b)
    yield "set.lt.and.f16.f32 d, a, b, c", "d:u16", "a:f32 b:f32 c:pred@0,1", lambda a, b, c: 0x3C00 * (comparison("f32", "lt")(a, b) & c)


def packed_comparisons():
    for kind, one in ONE.items():
        some = f"a:u32@{kind} b:u32@{kind}"
        for relation in RELATIONS:
            def both(a, b, model=comparison(kind, relation)):
                return [model(p, q) for p, q in zip(halves(a), halves(b))]
            yield f"setp.{relation}.{kind}x2 d|e, a, b", "d:pred e:pred", some, lambda a, b, both=both: tuple(both(a, b))
            yield (f"set.{relation}.{kind}x2.{kind}x2 d, a, b", "d:u32", some,
                   lambda a, b, both=both, one=one: joined(*(one * r for r in both(a, b))))
            yield (f"set.{relation}.u32.{kind}x2 d, a, b", "d:u32", some,
                   lambda a, b, both=both: joined(*(0xFFFF * r for r in both(a, b))))
        for name, combine in COMBINED.items():
            def combined(a, b, c, combine=combine, model=comparison(kind, "ge")):
                return [combine(model(p, q), c) for p, q in zip(halves(a), halves(b))]
            yield (f"setp.ge.{name}.{kind}x2 d|e, a, b, c", "d:pred e:pred", some + " c:pred@0,1",
                   lambda a, b, c, combined=combined: tuple(combined(a, b, c)))
            yield (f"set.ge.{name}.{kind}x2.{kind}x2 d, a, b, !c", "d:u32", some + " c:pred@0,1",
                   lambda a, b, c, combined=combined, one=one: joined(*(one * r for r in combined(a, b, 1 - c))))


def near(kind, function):
    """A function of Python's math, of which some units in the last place are free."""
    def model(a):
        value = decode(kind, a)
        return Near(encode(kind, Fraction(function(float(value)))))
    return model


def approximations():
    some = "0x3f800000,0x40490fdb,0x3f000000,0x40000000,0x3dcccccd,0x3e99999a,0x3fb504f3,0x40a00000,0x3c23d70a,0x41200000"
    both = some + ",0xbf800000,0xc0000000,0xbdcccccd,0xc0490fdb,0xbf19999a"
    functions = {"rcp": lambda x: 1 / x, "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x), "sin": math.sin, "cos": math.cos,
                 "lg2": math.log2, "ex2": lambda x: 2.0 ** x}
    for name, function in functions.items():
        pool = some if name in ("sqrt", "rsqrt", "lg2") else both
        for ftz in ("", ".ftz"):
            yield f"{name}.approx{ftz}.f32 d, a", "d:f32", f"a:f32@{pool}", near("f32", function)
    yield "tanh.approx.f32 d, a", "d:f32", f"a:f32@{both}", near("f32", math.tanh)
    yield "div.approx.f32 d, a, b", "d:f32", f"a:f32@{both} b:f32@{both}", lambda a, b: Near(of("f32", divided)(a, b))
    yield "div.approx.ftz.f32 d, a, b", "d:f32", f"a:f32@{both} b:f32@{both}", lambda a, b: Near(of("f32", divided)(a, b))
    for kind, values in (("f16", "0x3c00,0xbc00,0x3555,0x4248,0x3000,0xb800"), ("bf16", "0x3f80,0xbf80,0x3eab,0x4049,0x3e00,0xbf00")):
        ftz = ".ftz" if kind == "bf16" else ""
        yield f"ex2.approx{ftz}.{kind} d, a", f"d:{kind}", f"a:{kind}@{values}", near(kind, lambda x: 2.0 ** x)
        yield f"tanh.approx.{kind} d, a", f"d:{kind}", f"a:{kind}@{values}", near(kind, math.tanh)


def rows():
    for table in (rounded_rows, divisions, mixed, extremes, signs, comparisons, packed_comparisons, approximations):
        yield from table()
