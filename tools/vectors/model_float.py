"""Floats, conversions, comparisons, transcendental functions: what each meaning gives. Arguments and results are bits."""
import gmpy2

import exact
from exact import Fraction, Value, decode, encode, is_float


def mode_of(mods):
    return next((mode for mode in exact.MODES if mode in mods), "rn")


def arithmetic(function):
    """function(mode, values...) gives a value, which is rounded once."""
    def evaluate(kind, mods, *bits):
        if "ftz" in mods:
            bits = [exact.flush(value, kind) for value in bits]
        mode = mode_of(mods)
        return finish(encode(function(mode, *(decode(value, kind) for value in bits)), kind, mode), kind, mods)
    return evaluate


def finish(bits, kind, mods):
    if "sat" in mods:
        bits = exact.saturate(bits, kind)
    return exact.flush(bits, kind) if "ftz" in mods else bits


def multiply_add_twice(kind, mods, a, b, c):
    """Rounds the product, then the sum."""
    bits = [exact.flush(value, kind) for value in (a, b, c)] if "ftz" in mods else [a, b, c]
    x, y, z = (decode(value, kind) for value in bits)
    mode = mode_of(mods)
    product = decode(encode(exact.multiply(x, y), kind, mode), kind)
    return finish(encode(exact.add(product, z, mode), kind, mode), kind, mods)


def extreme(largest):
    def evaluate(kind, mods, a, b):
        if "ftz" in mods:
            a, b = exact.flush(a, kind), exact.flush(b, kind)
        x, y = decode(a, kind), decode(b, kind)
        if (x.nan and y.nan) or ("nan" in mods and (x.nan or y.nan)):
            return exact.nan(kind)
        if x.nan or y.nan:
            return b if x.nan else a
        return max(a, b, key=lambda bits: order(bits, kind)) if largest else min(a, b, key=lambda bits: order(bits, kind))
    return evaluate


def order(bits, kind):
    """Grows with the number; -0 comes before +0."""
    magnitude = bits & (exact.sign_bit(kind) - 1)
    return -magnitude - 1 if bits & exact.sign_bit(kind) else magnitude


def is_kind(kind, mods, a):
    value = decode(a, kind)
    finite = not value.nan and not value.infinite
    normal = finite and (value.zero or (a & (exact.sign_bit(kind) - 1)) >= exact.smallest_normal(kind))  # PTX ISA, testp: zeros are normal
    return {"finite": finite, "infinite": value.infinite, "number": not value.nan, "notanumber": value.nan, "normal": normal,
            "subnormal": finite and not normal}[next(word for word in mods)]


# ---- Conversions

def to_integer(bits, to, source, mods):
    value = decode(bits, source)
    if value.nan:  # PTX ISA, cvt: 0, or the top bit alone from f64 and to 64 bits
        return 1 << (exact.WIDTH[to] - 1) if source == "f64" or exact.WIDTH[to] == 64 else 0
    if value.infinite:
        return exact.cut(exact.lowest(to) if value.negative else exact.highest(to), to)
    mode = next((mode for mode in exact.MODES if mode + "i" in mods), "rz")
    return exact.cut(exact.clamp(int(exact.integral(value, mode).signed), to), to)


def convert(to, source, mods, a):
    if "ftz" in mods and source == "f32":
        a = exact.flush(a, "f32")
    if not is_float(to):
        if is_float(source):
            return to_integer(a, to, source, mods)
        value = exact.number(a, source)
        return exact.cut(exact.clamp(value, to) if "sat" in mods else value, to)
    if is_float(source):
        value = decode(a, source)
        integral = next((mode for mode in exact.MODES if mode + "i" in mods), None)
        value = exact.integral(value, integral) if integral else value
    else:
        value = exact.of_fraction(Fraction(exact.number(a, source)))
    bits = encode(value, to, mode_of(mods))
    if "sat" in mods:
        bits = exact.saturate(bits, to)
    return exact.flush(bits, "f32") if "ftz" in mods and to == "f32" else bits


# ---- Comparisons

UNSIGNED = {"ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge", "lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def compare(kind, condition, a, b, flushes=False):
    if is_float(kind):
        if flushes:
            a, b = exact.flush(a, kind), exact.flush(b, kind)
        x, y = decode(a, kind), decode(b, kind)
        if condition in ("num", "nan"):
            return (x.nan or y.nan) == (condition == "nan")
        unordered = condition.endswith("u")
        if x.nan or y.nan:
            return unordered
        key = [-1 if value.infinite and value.negative else 1 if value.infinite else 0 for value in (x, y)]
        left, right = (key[0], x.signed if not x.infinite else 0), (key[1], y.signed if not y.infinite else 0)
        condition = condition.rstrip("u") if unordered else condition
    else:
        if condition in UNSIGNED:
            kind, condition = "u" + str(exact.WIDTH[kind]), UNSIGNED[condition]
        left, right = exact.number(a, kind), exact.number(b, kind)
    return {"eq": left == right, "ne": left != right, "lt": left < right, "le": left <= right, "gt": left > right,
            "ge": left >= right}[condition]


def combined(mods, result, other):
    if "and" in mods:
        return result and other
    return (result or other) if "or" in mods else result != other


# ---- Transcendental functions: MPFR, 300 bits, then one rounding

def mpfr(value):
    if value.nan:
        return gmpy2.nan()
    if value.infinite:
        return gmpy2.mpfr("-inf" if value.negative else "inf")
    if value.magnitude == 0:
        return gmpy2.mpfr("-0" if value.negative else "0")
    return gmpy2.mpfr(gmpy2.mpq(value.signed.numerator, value.signed.denominator))


def of_mpfr(number):
    if gmpy2.is_nan(number):
        return exact.NAN
    if gmpy2.is_infinite(number):
        return Value(0, number < 0, infinite=True)
    if gmpy2.is_zero(number):
        return Value(0, gmpy2.is_signed(number))
    ratio = gmpy2.mpq(*number.as_integer_ratio())
    return exact.of_fraction(Fraction(int(ratio.numerator), int(ratio.denominator)))


FUNCTIONS = {"ex2": gmpy2.exp2, "exp": gmpy2.exp, "lg2": gmpy2.log2, "log": gmpy2.log, "log10": gmpy2.log10, "sin": gmpy2.sin,
             "cos": gmpy2.cos, "tan": gmpy2.tan, "tanh": gmpy2.tanh, "erf": gmpy2.erf, "frsqrt": gmpy2.rec_sqrt,
             "sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x)), "pow": lambda x, y: x ** y}


def transcendental(name):
    def evaluate(kind, mods, *bits):
        if "ftz" in mods:
            bits = [exact.flush(value, kind) for value in bits]
        values = [decode(value, kind) for value in bits]
        with gmpy2.context(precision=300, emax=1 << 30, emin=-(1 << 30), subnormalize=False):
            value = of_mpfr(FUNCTIONS[name](*(mpfr(value) for value in values)))
        if name == "frsqrt" and values[0].zero:  # PTX ISA, rsqrt: -0 gives -inf
            value = Value(0, values[0].negative, infinite=True)
        if kind in ("f16", "bf16") and name != "frsqrt":  # the f32's, rounded
            value = decode(encode(value, "f32"), "f32")
        return finish(encode(value, kind), kind, mods)
    return evaluate


def sign_alone(function):
    """Any bits keep theirs; with .ftz a NaN is one that was computed."""
    def evaluate(kind, mods, a):
        sign = exact.sign_bit(kind)
        if "ftz" in mods:
            a = exact.nan(kind) if decode(a, kind).nan else exact.flush(a, kind)
            return exact.nan(kind) if decode(a, kind).nan else function(a, sign)
        return function(a, sign)
    return evaluate


def sign_of(kind, mods, a, b):
    """The sign of a, the rest of b."""
    sign = exact.sign_bit(kind)
    return (a & sign) | (b & ~sign)


def choice(kind, mods, a, b, c):
    """PTX ISA, slct: c >= 0 ? a : b, by a float."""
    value = decode(exact.flush(c, "f32") if "ftz" in mods else c, "f32")
    return a if not value.nan and (value.zero or not value.negative) else b


CASES = {
    "slct_f32": choice,
    "fadd": arithmetic(lambda mode, a, b: exact.add(a, b, mode)),
    "fsub": arithmetic(lambda mode, a, b: exact.add(a, exact.negated(b), mode)),
    "fmul": arithmetic(lambda mode, a, b: exact.multiply(a, b)),
    "ffma": arithmetic(lambda mode, a, b, c: exact.add(exact.multiply(a, b), c, mode)),
    "fmad": multiply_add_twice,
    "fdiv": arithmetic(lambda mode, a, b: exact.divide(a, b)),
    "frem": arithmetic(lambda mode, a, b: exact.remainder(a, b)),
    "frcp": arithmetic(lambda mode, a: exact.divide(Value(1), a)),
    "fsqrt": arithmetic(lambda mode, a: exact.square_root(a)),
    "fmin": extreme(False), "fmax": extreme(True),
    "fabs": sign_alone(lambda bits, sign: bits & ~sign), "fneg": sign_alone(lambda bits, sign: bits ^ sign),
    "fcopysign": sign_of, "testp": is_kind,
}
CASES.update({name: transcendental(name) for name in FUNCTIONS})
