"""Numbers of all types as bits, exactly: integers as Python's, floats as fractions that are rounded once.

Nothing here is taken from hexec: formats and rounding are IEEE 754's (bf16: a float's upper half), special cases PTX's.
"""
import fractions
import math

Fraction = fractions.Fraction
WIDTH = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64,
         "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32}
PACKED = {"f16x2": "f16", "bf16x2": "bf16"}  # two of them, the first in the low half
SIGNED = {"i8", "i16", "i32", "i64"}
# bits of the significand with the hidden one, largest exponent
FORMATS = {"f16": (11, 15), "bf16": (8, 127), "f32": (24, 127), "f64": (53, 1023)}
MODES = ("rn", "rz", "rm", "rp")


def is_float(kind):
    return kind in FORMATS


def half_of(kind):
    return PACKED.get(kind, kind)


def joined(low, high):
    return cut(high, "u16") << 16 | cut(low, "u16")


def parted(bits):
    return bits & 0xffff, bits >> 16


def cut(value, kind):
    """An integer's bits in a type of that width."""
    return value & ((1 << WIDTH[kind]) - 1)


def number(bits, kind):
    """The integer that the bits of an integer type stand for."""
    bits = cut(bits, kind)
    return bits - (1 << WIDTH[kind]) if kind in SIGNED and bits >> (WIDTH[kind] - 1) else bits


def lowest(kind):
    return -(1 << (WIDTH[kind] - 1)) if kind in SIGNED else 0


def highest(kind):
    return (1 << (WIDTH[kind] - (kind in SIGNED))) - 1


def clamp(value, kind):
    return max(lowest(kind), min(highest(kind), value))


# ---- Floats: bits <-> (is a NaN, is infinite, negative, magnitude)

class Value:
    """A float's value; zeros and infinities have a sign."""

    def __init__(self, magnitude=Fraction(0), negative=False, nan=False, infinite=False):
        self.magnitude, self.negative, self.nan, self.infinite = Fraction(magnitude), negative, nan, infinite

    @property
    def signed(self):
        return -self.magnitude if self.negative else self.magnitude

    @property
    def zero(self):
        return not self.nan and not self.infinite and self.magnitude == 0


def of_fraction(value, negative_zero=False):
    return Value(abs(value), value < 0 or (value == 0 and negative_zero))


def fields(kind):
    precision, top = FORMATS[kind]
    return precision - 1, WIDTH[kind] - precision, top  # bits of fraction, of exponent, bias


def sign_bit(kind):
    return 1 << (WIDTH[kind] - 1)


def infinity(kind, negative=False):
    fraction, exponent, _ = fields(kind)
    return ((1 << exponent) - 1) << fraction | (sign_bit(kind) if negative else 0)


def nan(kind):
    """PTX's canonical NaN: all ones but the sign."""
    return sign_bit(kind) - 1


def largest(kind, negative=False):
    return infinity(kind, negative) - 1


def smallest_normal(kind):
    return 1 << fields(kind)[0]


def decode(bits, kind):
    fraction_bits, exponent_bits, bias = fields(kind)
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    negative = bool(bits & sign_bit(kind))
    if exponent == (1 << exponent_bits) - 1:
        return Value(0, negative, nan=fraction != 0, infinite=fraction == 0)
    if exponent == 0:
        return Value(Fraction(fraction) * Fraction(2) ** (1 - bias - fraction_bits), negative)
    return Value(Fraction(fraction + (1 << fraction_bits)) * Fraction(2) ** (exponent - bias - fraction_bits), negative)


def exponent_of(magnitude):
    """The largest e with 2^e <= magnitude."""
    e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return e if Fraction(2) ** e <= magnitude else e - 1


def rounds_up(rest, odd, mode, negative):
    """Does a magnitude go to the next one? rest: what is beyond it, in units of the last place."""
    if mode == "rn":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and odd)
    if mode == "rz" or rest == 0:
        return False
    return negative == (mode == "rm")


def encode(value, kind, mode="rn"):
    """The bits of a value, rounded once; subnormals are kept, what is too large overflows as the mode says."""
    if value.nan:
        return nan(kind)
    sign = sign_bit(kind) if value.negative else 0
    if value.infinite:
        return infinity(kind, value.negative)
    if value.magnitude == 0:
        return sign
    fraction_bits, _, bias = fields(kind)
    exponent = max(exponent_of(value.magnitude), 1 - bias)
    units = value.magnitude / Fraction(2) ** (exponent - fraction_bits)
    whole = units.numerator // units.denominator
    whole += rounds_up(units - whole, whole & 1, mode, value.negative)
    # a carry into the next exponent is a carry of the bits too
    bits = whole + ((exponent + bias - 1) << fraction_bits)
    if bits >= infinity(kind):
        away = mode == "rn" or (mode == "rm" and value.negative) or (mode == "rp" and not value.negative)
        return infinity(kind, value.negative) if away else largest(kind, value.negative)
    return bits | sign


def flush(bits, kind):
    """A subnormal becomes a zero of its sign."""
    return bits & sign_bit(kind) if bits & (sign_bit(kind) - 1) < smallest_normal(kind) else bits


def saturate(bits, kind):
    """[0, 1]; a NaN gives +0."""
    value = decode(bits, kind)
    if value.nan or value.negative or value.zero:
        return 0
    return encode(Value(1), kind) if value.infinite or value.magnitude > 1 else bits


# ---- Arithmetic

NAN = Value(nan=True)


def add(a, b, mode="rn"):
    if a.nan or b.nan or (a.infinite and b.infinite and a.negative != b.negative):
        return NAN
    if a.infinite or b.infinite:
        return a if a.infinite else b
    total = a.signed + b.signed
    if total == 0:
        both = a.negative and b.negative and a.zero and b.zero
        return Value(0, both or (mode == "rm" and not (a.zero and b.zero and not a.negative and not b.negative)))
    return of_fraction(total)


def negated(a):
    return Value(a.magnitude, not a.negative, a.nan, a.infinite)


def multiply(a, b):
    if a.nan or b.nan or (a.infinite and b.zero) or (a.zero and b.infinite):
        return NAN
    return Value(a.magnitude * b.magnitude, a.negative != b.negative, infinite=a.infinite or b.infinite)


def divide(a, b):
    if a.nan or b.nan or (a.infinite and b.infinite) or (a.zero and b.zero):
        return NAN
    negative = a.negative != b.negative
    if a.infinite or b.zero:
        return Value(0, negative, infinite=True)
    return Value(0 if b.infinite else a.magnitude / b.magnitude, negative)


def square_root(a):
    """Exact where the root is; else a number between the same two neighbours of any format as the root."""
    if a.nan or (a.negative and not a.zero):
        return NAN
    if a.infinite or a.zero:
        return a
    scale = 1 << 1400
    square = a.magnitude * scale * scale
    root = math.isqrt(square.numerator // square.denominator)
    exact = Fraction(root * root) == square
    return Value(Fraction(2 * root + (not exact), 2 * scale))


def remainder(a, b):
    """a - b * (a / b rounded to zero); the sign of a."""
    if a.nan or b.nan or a.infinite or b.zero:
        return NAN
    if b.infinite or a.zero:
        return a
    return Value(a.magnitude % b.magnitude, a.negative)


def integral(a, mode):
    """Rounded to an integral value; the sign stays."""
    if a.nan or a.infinite:
        return a
    whole = a.magnitude.numerator // a.magnitude.denominator
    whole += rounds_up(a.magnitude - whole, whole & 1, mode, a.negative)
    return Value(whole, a.negative)
