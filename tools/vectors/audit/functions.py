"""Transcendental functions: MPFR at a precision where one more rounding is right, and special cases by hand."""
from fractions import Fraction

import gmpy2

import ieee
from ieee import NAN, ONE, Number, infinity

ZERO = Number("finite")
BITS = 400


def evaluate(name, *magnitudes):
    """A function of gmpy2 at many bits, as a number with an odd last bit that keeps it off halfway points."""
    with gmpy2.context(precision=BITS, emax=1 << 40, emin=-(1 << 40)):
        values = [gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator)) for value in magnitudes]
        result = name(*values)
    return result


def to_number(result, kind):
    """An mpfr as an exact number; what is far outside the format as something that is just outside."""
    form = ieee.FORMATS[kind]
    negative = gmpy2.is_signed(result)
    if gmpy2.is_nan(result):
        return NAN
    if gmpy2.is_infinite(result):
        return infinity(negative)
    if result == 0:
        return Number("finite", negative)
    exponent = gmpy2.get_exp(result)
    if exponent > form.emax + 100:
        return Number("finite", negative, form.greatest * 4)
    if exponent < form.emin - form.precision - 100:
        return Number("finite", negative, Fraction(2) ** (form.emin - form.precision - 100))
    numerator, denominator = result.as_integer_ratio()
    return Number("finite", negative, abs(Fraction(int(numerator), int(denominator))))


def smooth(function, at_minus_infinity, at_infinity, at_zero=None):
    """A function without poles: the limits, and whether a zero is kept with its sign."""
    def value(a, kind):
        if a.kind == "nan":
            return NAN
        if a.kind == "inf":
            return at_minus_infinity if a.negative else at_infinity
        if a.is_zero and at_zero is not None:
            return a if at_zero == "same" else at_zero
        return to_number(evaluate(function, a.exact), kind)
    return value


def logarithm(function):
    def value(a, kind):
        if a.kind == "nan":
            return NAN
        if a.is_zero:
            return infinity(True)
        if a.negative:
            return NAN
        return a if a.kind == "inf" else to_number(evaluate(function, a.exact), kind)
    return value


def reciprocal_root(a, kind):
    if a.kind == "nan" or (a.negative and not a.is_zero):
        return NAN
    if a.is_zero:
        return infinity(a.negative)
    return ZERO if a.kind == "inf" else Number("finite", False, ieee.root(1 / a.magnitude, 400))


def logistic(a, kind):
    if a.kind != "finite":
        return NAN if a.kind == "nan" else ZERO if a.negative else ONE
    with gmpy2.context(precision=BITS, emax=1 << 40, emin=-(1 << 40)):
        exact = a.exact
        power = gmpy2.exp(-gmpy2.mpfr(gmpy2.mpq(exact.numerator, exact.denominator)))
        result = 1 / (1 + power)
    return to_number(result, kind)


def raised(a, b, kind):
    """pow of C, annex F.10.4.4."""
    integral = b.kind == "finite" and b.magnitude.denominator == 1
    odd = integral and b.magnitude.numerator % 2 == 1
    if b.is_zero or (a == ONE):
        return ONE
    if "nan" in (a.kind, b.kind):
        return NAN
    if b.kind == "inf":
        if a.kind == "finite" and a.magnitude == 1:
            return ONE
        grows = a.kind == "inf" or a.magnitude > 1
        return infinity() if grows != b.negative else ZERO
    negative = a.negative and odd
    if a.is_zero or a.kind == "inf":
        return infinity(negative) if a.is_zero == b.negative else Number("finite", negative)
    if a.negative and not integral:
        return NAN
    return to_number(evaluate(lambda x, y: x ** y, a.magnitude, b.exact), kind).with_sign(negative)


FUNCTIONS = {
    "ex2": smooth(gmpy2.exp2, ZERO, infinity()), "exp": smooth(gmpy2.exp, ZERO, infinity()),
    "lg2": logarithm(gmpy2.log2), "log": logarithm(gmpy2.log), "log10": logarithm(gmpy2.log10),
    "sin": smooth(gmpy2.sin, NAN, NAN, "same"), "cos": smooth(gmpy2.cos, NAN, NAN),
    "tan": smooth(gmpy2.tan, NAN, NAN, "same"),
    "tanh": smooth(gmpy2.tanh, ONE.with_sign(True), ONE, "same"), "sigmoid": logistic,
    "erf": smooth(gmpy2.erf, ONE.with_sign(True), ONE, "same"), "frsqrt": reciprocal_root, "pow": raised,
}


def correctly_rounded(semantics, kind, mods, *bits):
    """To nearest even; tanh, erf and such that come within 2^-400 of a limit round to it."""
    numbers = [ieee.unpack(value, kind) for value in bits]
    if "ftz" in mods:
        numbers = [ieee.flushed(number, kind) for number in numbers]
    result = ieee.round_number(FUNCTIONS[semantics](*numbers, kind), kind)
    return ieee.pack(ieee.flushed(result, kind) if "ftz" in mods else result, kind)
