"""What functions of half give, computed with Python's floats: rows of name, arguments, model, and how many last places the result
may be off. Integers are compared as they are."""
import fractions
import math
import struct

NAN, INF = math.nan, math.inf


def half(value):
    """The nearest half"""
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value)):
        return float(value)
    try:
        return struct.unpack("<e", struct.pack("<e", value))[0]
    except (OverflowError, struct.error):
        return math.copysign(INF, value)


def quiet(model):
    """Errors of Python's mathematics are NaN."""
    def answer(*values):
        try:
            return model(*values)
        except (ValueError, ZeroDivisionError):
            return NAN
        except OverflowError:
            return INF
    return answer


def whole(mode, x):
    return {"rte": round, "rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor}[mode](x)


def to_integer(mode, low, high):
    def convert(x):
        if math.isnan(x):
            return 0
        return low if x < low else high if x > high else min(max(whole(mode, fractions.Fraction(x)), low), high)
    return convert


def to_half(mode):
    def convert(x):
        near, exact = half(x), fractions.Fraction(x)
        step = {"rte": 0, "rtz": -1 if x > 0 else 1, "rtp": 1, "rtn": -1}[mode]
        off = INF if math.isinf(near) else fractions.Fraction(near) - exact
        if math.isinf(near):
            off = math.copysign(INF, near)
        if step > 0 > off or step < 0 < off:
            return step_of(near, step)
        return near
    return convert


def to_float(mode, kind):
    """Any number as a float or double; none may be too large for it"""
    digits, lowest = (24, -149) if kind == "float" else (53, -1074)
    whole = {"rte": round, "rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor}[mode]

    def convert(x):
        exact = fractions.Fraction(x)
        exponent = x.bit_length() - 1 if isinstance(x, int) else math.frexp(x)[1] - 1
        unit = fractions.Fraction(2) ** max(exponent - digits + 1, lowest)
        return math.copysign(float(whole(exact / unit) * unit), x)
    return convert


def step_of(x, step):
    bits = struct.unpack("<h", struct.pack("<e", x))[0]
    if x == 0:
        return math.copysign(2.0 ** -24, step)
    return struct.unpack("<e", struct.pack("<h", bits + (1 if (step > 0) == (x > 0) else -1)))[0]


def nextafter(x, y):
    return y if x == y else step_of(x, 1 if y > x else -1)


def root(x, n):
    if n == 0 or (x < 0 and n % 2 == 0):
        return NAN
    if x == 0:
        return math.copysign(INF, x if n % 2 else 1) if n < 0 else math.copysign(0.0, x if n % 2 else 1)
    return math.copysign(abs(x) ** (1 / n), x)


def smoothstep(low, high, x):
    if low >= high:
        return None
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def power(x, y):
    return NAN if x < 0 and y != math.trunc(y) else math.pow(x, y)


def tangent_of_pi(x):
    rest = math.remainder(x, 1)
    if abs(rest) == 0.5:
        return None
    if abs(rest) < 0.25:
        return math.tan(math.pi * rest)
    return -1 / math.tan(math.pi * (rest - math.copysign(0.5, rest)))  # pi is rounded, and the tangent steep here


def sine_of_pi(x):
    rest = math.remainder(x, 2)
    return 0.0 if rest == math.trunc(rest) else math.sin(math.pi * rest)


ONE = [(name, quiet(getattr(math, name))) for name in
       "acos acosh asin asinh atan cos cosh erf erfc exp expm1 sin sqrt tan tanh ceil floor trunc degrees "
       "radians fabs".split()]
ONE += [(name, quiet(lambda x, f=getattr(math, name): -INF if x == 0 else f(x))) for name in ("log", "log2", "log10")]
ONE += [("log1p", quiet(lambda x: -INF if x == -1 else math.log1p(x))), ("atanh", quiet(lambda x: x * INF if abs(x) == 1 else math.atanh(x))),
        ("sinh", lambda x: math.sinh(x) if abs(x) < 20 else x * INF), ("tgamma", quiet(lambda x: math.gamma(x) if x > 0 else None)), ("lgamma", quiet(lambda x: math.lgamma(x) if x > 0 and abs(x - 2) > 0.02 else None)),
        ("exp2", quiet(lambda x: 2.0 ** x)), ("exp10", quiet(lambda x: 10.0 ** x)), ("cbrt", lambda x: math.copysign(abs(x) ** (1 / 3), x)),
        ("rsqrt", quiet(lambda x: 1 / math.sqrt(x) if x else math.copysign(INF, x))), ("acospi", quiet(lambda x: math.acos(x) / math.pi)),
        ("asinpi", quiet(lambda x: math.asin(x) / math.pi)), ("atanpi", lambda x: math.atan(x) / math.pi), ("sinpi", sine_of_pi),
        ("cospi", lambda x: sine_of_pi(math.remainder(x, 2) + 0.5) if abs(x) < 100 else None), ("tanpi", tangent_of_pi),
        ("rint", lambda x: float(round(x))), ("round", lambda x: math.copysign(math.floor(abs(x) + 0.5), x)),
        ("sign", lambda x: float((x > 0) - (x < 0))), ("logb", lambda x: -INF if x == 0 else float(math.frexp(x)[1] - 1))]
TWO = [("atan2", math.atan2), ("atan2pi", lambda x, y: math.atan2(x, y) / math.pi), ("copysign", math.copysign), ("fdim", lambda x, y: max(x - y, 0)),
       ("fmod", quiet(math.fmod)), ("hypot", math.hypot), ("maxmag", lambda x, y: max(x, y) if abs(x) == abs(y) else max(x, y, key=abs)),
       ("minmag", lambda x, y: min(x, y) if abs(x) == abs(y) else min(x, y, key=abs)), ("nextafter", nextafter),
       ("pow", quiet(lambda x, y: None if x == 0 else power(x, y))), ("powr", quiet(lambda x, y: NAN if x < 0 else None if x == 0 else math.pow(x, y))),
       ("remainder", quiet(math.remainder)), ("fmax", max), ("fmin", min), ("max", max), ("min", min),
       ("step", lambda x, y: 0.0 if y < x else 1.0)]
THREE = [("fma", lambda x, y, z: fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(z)),
         ("mad", lambda x, y, z: fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(z)),
         ("clamp", lambda x, y, z: min(max(x, y), z) if y <= z else None), ("smoothstep", smoothstep)]
WITH_INTEGER = [("ldexp", math.ldexp), ("pown", quiet(lambda x, n: None if x == 0 else float(x) ** n)), ("rootn", quiet(root))]
RELATIONS = [("isequal", lambda x, y: x == y), ("isnotequal", lambda x, y: x != y), ("isgreater", lambda x, y: x > y),
             ("isgreaterequal", lambda x, y: x >= y), ("isless", lambda x, y: x < y), ("islessequal", lambda x, y: x <= y),
             ("islessgreater", lambda x, y: x != y), ("isordered", lambda x, y: True), ("isunordered", lambda x, y: False)]
RANGES = {"char": (-128, 127), "uchar": (0, 255), "short": (-2 ** 15, 2 ** 15 - 1), "ushort": (0, 2 ** 16 - 1), "int": (-2 ** 31, 2 ** 31 - 1),
          "uint": (0, 2 ** 32 - 1), "long": (-2 ** 63, 2 ** 63 - 1), "ulong": (0, 2 ** 64 - 1)}
