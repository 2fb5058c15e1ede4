"""Numbers of PTX for models of its instructions, in exact arithmetic. A float is a Fraction, "inf", "-inf", "nan" or, for a zero
with a sign, "-0"; in registers it is bits."""
from fractions import Fraction

# bits of the exponent, of the fraction, the least bits that are no number, the NaN that results have
FORMATS = {"f16": (5, 10, 0x7C00, 0x7FFF), "bf16": (8, 7, 0x7F80, 0x7FFF), "f32": (8, 23, 0x7F800000, 0x7FFFFFFF),
           "f64": (11, 52, 0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF), "e5m2": (5, 2, 0x7C, 0x7F), "e4m3": (4, 3, 0x7F, 0x7F),
           "e3m2": (3, 2, 0x20, 0x1F), "e2m3": (2, 3, 0x20, 0x1F), "e2m1": (2, 1, 8, 7)}
SIZES = {"pred": 1, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "e5m2": 8, "e4m3": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4}


def size(kind):
    return SIZES.get(kind) or int(kind[1:])


def mask(kind):
    return (1 << size(kind)) - 1


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def integer(kind, bits):
    """The value that bits are at an integer type."""
    return signed(bits, size(kind)) if kind[0] == "s" else bits & mask(kind)


def bounds(kind):
    bits = size(kind)
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)


def clamp(value, least, most):
    return max(least, min(most, value))


def saturated(kind, value):
    return clamp(value, *bounds(kind))


def decode(kind, bits):
    exponent_bits, fraction_bits, special, _ = FORMATS[kind]
    width = 1 + exponent_bits + fraction_bits
    sign, magnitude = bits >> (width - 1) & 1, bits & ((1 << (width - 1)) - 1)
    if magnitude >= special:
        is_infinite = magnitude == special and kind != "e4m3"
        return ("-inf" if sign else "inf") if is_infinite else "nan"
    bias = (1 << (exponent_bits - 1)) - 1
    exponent, fraction = magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1)
    value = Fraction(fraction + (exponent > 0) * (1 << fraction_bits)) * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)
    if value == 0:
        return "-0" if sign else Fraction(0)
    return -value if sign else value


def is_nan(value):
    return value == "nan"


def is_negative(value):
    return value in ("-0", "-inf") or (isinstance(value, Fraction) and value < 0)


def number(value):
    """A value to compare and calculate with: zeros without sign, infinities as floats of Python."""
    return {"-0": Fraction(0), "inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}.get(value, value) \
        if isinstance(value, str) else value


def negated(value):
    names = {"-0": Fraction(0), "inf": "-inf", "-inf": "inf", "nan": "nan"}
    if isinstance(value, str):
        return names[value]
    return "-0" if value == 0 else -value


def absolute(value):
    return negated(value) if is_negative(value) else value


def round_integer(value, mode):
    """A Fraction as an int: rn to even, ra away from zero, rz, rm, rp."""
    low = value.numerator // value.denominator
    rest = value - low
    if mode == "rz":
        mode = "rm" if value >= 0 else "rp"
    if mode == "rm" or rest == 0:
        return low
    if mode == "rp":
        return low + 1
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    return low + (low & 1 if mode == "rn" else value >= 0)


def encode(kind, value, mode="rn", finite=False):
    """Bits of a value, rounded once. finite: beyond the greatest number that number, not infinity."""
    exponent_bits, fraction_bits, special, canonical = FORMATS[kind]
    sign = 1 << (exponent_bits + fraction_bits)
    if is_nan(value):
        return canonical
    negative = is_negative(value)
    if value in ("inf", "-inf"):
        return (special - 1 if finite else special) | (sign if negative else 0)
    value = abs(number(value))
    if value == 0:
        return sign if negative else 0
    if negative:
        mode = {"rm": "rp", "rp": "rm"}.get(mode, mode)
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > value
    exponent = max(exponent, 1 - bias)
    scaled = round_integer(value / Fraction(2) ** (exponent - fraction_bits), mode)
    bits = scaled + ((exponent + bias - 1) << fraction_bits)
    if bits >= special:
        bits = special - 1 if finite or mode == "rz" or mode == "rm" else special
    return bits | (sign if negative else 0)


def halves(bits):
    return bits & 0xFFFF, bits >> 16 & 0xFFFF


def joined(low, high, width=16):
    return (high << width | low) & ((1 << 2 * width) - 1)


def flushed(kind, value):
    """ftz: a subnormal number as a zero with its sign."""
    exponent_bits = FORMATS[kind][0]
    least = Fraction(2) ** (2 - (1 << (exponent_bits - 1)))
    if isinstance(value, Fraction) and value != 0 and abs(value) < least:
        return "-0" if value < 0 else Fraction(0)
    return value


def add(x, y, mode="rn"):
    if is_nan(x) or is_nan(y):
        return "nan"
    if isinstance(number(x), float) or isinstance(number(y), float):
        infinite = [v for v in (x, y) if v in ("inf", "-inf")]
        return "nan" if len(set(infinite)) == 2 else infinite[0]
    total = number(x) + number(y)
    if total == 0:
        same = is_negative(x) == is_negative(y) and number(x) == 0
        return "-0" if (is_negative(x) if same else mode == "rm") else Fraction(0)
    return total


def multiply(x, y):
    if is_nan(x) or is_nan(y):
        return "nan"
    negative = is_negative(x) != is_negative(y)
    zero = number(x) == 0 or number(y) == 0
    if x in ("inf", "-inf") or y in ("inf", "-inf"):
        return "nan" if zero else "-inf" if negative else "inf"
    if zero:
        return "-0" if negative else Fraction(0)
    return number(x) * number(y)


def smaller(x, y, keep_nan=False):
    if is_nan(x) or is_nan(y):
        return "nan" if keep_nan or x == y else y if is_nan(x) else x
    if number(x) == number(y):
        return x if is_negative(x) else y
    return x if number(x) < number(y) else y


def larger(x, y, keep_nan=False):
    return negated(smaller(negated(x), negated(y), keep_nan))


def holds(relation, x, y):
    """A comparison of floats. Those that end in u are true when one is a NaN."""
    unordered = is_nan(x) or is_nan(y)
    if relation in ("num", "nan"):
        return unordered == (relation == "nan")
    if unordered:
        return len(relation) == 3
    return compare(relation[:2], number(x), number(y))


def compare(relation, x, y):
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
            "lo": x < y, "ls": x <= y, "hi": x > y, "hs": x >= y}[relation]


class Near:
    """Bits of a float that a result may differ from by a unit or two in the last place."""
    def __init__(self, bits):
        self.bits = bits

    def __int__(self):
        return self.bits

    def __contains__(self, other):
        return abs(other - self.bits) <= 2
