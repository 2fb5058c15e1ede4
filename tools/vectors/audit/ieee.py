"""Binary floats by the book: a number is a sign and an exact magnitude, and is rounded to a format once.

Nothing here is shared with the generator's model, nor with hexec: this is IEEE 754-2019, section 3 and 4, alone.
"""
from fractions import Fraction
from math import isqrt
from typing import NamedTuple


class Format(NamedTuple):
    width: int
    precision: int  # bits of the significand, the hidden one included
    emax: int

    @property
    def emin(self):
        return 1 - self.emax

    @property
    def stored(self):
        return self.precision - 1

    @property
    def exponent_ones(self):
        return (1 << (self.width - self.precision)) - 1

    @property
    def sign_bit(self):
        return 1 << (self.width - 1)

    @property
    def infinity(self):
        return self.exponent_ones << self.stored

    @property
    def canonical_nan(self):
        return self.sign_bit - 1

    @property
    def greatest(self):
        return Fraction((1 << self.precision) - 1) * Fraction(2) ** (self.emax - self.stored)

    @property
    def least_normal(self):
        return Fraction(2) ** self.emin


FORMATS = {"f16": Format(16, 11, 15), "bf16": Format(16, 8, 127), "f32": Format(32, 24, 127), "f64": Format(64, 53, 1023)}


class Number(NamedTuple):
    """kind: nan, inf or finite; a finite one is (-1)^negative * magnitude, zero included."""
    kind: str
    negative: bool = False
    magnitude: Fraction = Fraction(0)

    @property
    def is_zero(self):
        return self.kind == "finite" and self.magnitude == 0

    @property
    def exact(self):
        return -self.magnitude if self.negative else self.magnitude

    def with_sign(self, negative):
        return self._replace(negative=negative)


NAN = Number("nan")
ONE = Number("finite", False, Fraction(1))


def infinity(negative=False):
    return Number("inf", negative)


def finite(value, negative_zero=False):
    value = Fraction(value)
    return Number("finite", value < 0 or (value == 0 and negative_zero), abs(value))


def unpack(bits, kind):
    form = FORMATS[kind]
    negative = bool(bits & form.sign_bit)
    exponent = (bits >> form.stored) & form.exponent_ones
    significand = bits & ((1 << form.stored) - 1)
    if exponent == form.exponent_ones:
        return NAN if significand else infinity(negative)
    if exponent:
        significand |= 1 << form.stored
    scale = max(exponent, 1) - form.emax - form.stored
    return Number("finite", negative, Fraction(significand) * Fraction(2) ** scale)


def exponent_of(magnitude):
    """The e with 2^e <= magnitude < 2^(e+1)."""
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess if Fraction(2) ** guess <= magnitude else guess - 1


def rounds_up(whole, rest, negative, mode):
    """Is whole + rest, 0 <= rest < 1, rounded away from zero?"""
    if rest == 0:
        return False
    if mode == "rn":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    return {"rz": False, "rm": negative, "rp": not negative}[mode]


def whole_of(magnitude, negative, mode):
    whole = magnitude.numerator // magnitude.denominator
    return whole + rounds_up(whole, magnitude - whole, negative, mode)


def round_number(number, kind, mode="rn"):
    """The number of the format that `number` is rounded to: clause 4.3, with overflow of 7.4."""
    if number.kind != "finite" or number.magnitude == 0:
        return number
    form = FORMATS[kind]
    step = Fraction(2) ** (max(exponent_of(number.magnitude), form.emin) - form.stored)
    rounded = whole_of(number.magnitude / step, number.negative, mode) * step
    if rounded <= form.greatest:
        return Number("finite", number.negative, rounded)
    stays = mode == "rz" or (mode == "rm" and not number.negative) or (mode == "rp" and number.negative)
    return Number("finite", number.negative, form.greatest) if stays else infinity(number.negative)


def pack(number, kind):
    """The bits of a number that the format has."""
    form = FORMATS[kind]
    if number.kind == "nan":
        return form.canonical_nan
    sign = form.sign_bit if number.negative else 0
    if number.kind == "inf":
        return sign | form.infinity
    if number.magnitude == 0:
        return sign
    exponent = max(exponent_of(number.magnitude), form.emin)
    significand = number.magnitude / Fraction(2) ** (exponent - form.stored)
    if significand.denominator != 1:
        raise ValueError(f"{number} is not of {kind}")
    # a subnormal has no hidden bit to add: the field of the exponent comes out as 0
    return sign | (((exponent + form.emax - 1) << form.stored) + significand.numerator)


def is_nan(bits, kind):
    return unpack(bits, kind).kind == "nan"


def flushed(number, kind):
    """Subnormals of the format become zeros of their sign."""
    if number.kind == "finite" and number.magnitude < FORMATS[kind].least_normal:
        return Number("finite", number.negative)
    return number


def clamped(number):
    """.sat: [+0, 1]; a NaN is +0."""
    if number.kind == "nan" or number.negative or number.is_zero:
        return Number("finite")
    return ONE if number.kind == "inf" or number.magnitude > 1 else number


def root(magnitude, bits=160):
    """The square root with so many bits that one rounding after it is right: a last bit of 1 stands for more to come."""
    shift = max(0, bits - magnitude.numerator.bit_length() + magnitude.denominator.bit_length())
    shift += shift % 2
    scaled = magnitude * (1 << shift)
    low = scaled.numerator // scaled.denominator
    found = isqrt(low)
    inexact = found * found != scaled
    return Fraction(2 * found + inexact, 2) / (1 << (shift // 2))
