"""Operands that always are among the vectors of float instructions: NaNs, infinities, zeros of both signs, subnormals, overflow,
cancelling, results halfway between two numbers; of functions their exact and their undefined places."""
import math

import exact
from exact import Fraction


class Marks:
    """The remarkable bits of a float type."""

    def __init__(self, kind):
        self.kind, self.sign = kind, exact.sign_bit(kind)
        self.zero, self.least, self.normal = 0, 1, exact.smallest_normal(kind)
        self.greatest, self.inf = exact.largest(kind), exact.infinity(kind)
        self.one, self.two, self.half, self.three = (self(value) for value in (1, 2, Fraction(1, 2), 3))
        fraction, _, self.bias = exact.fields(kind)
        self.precision = fraction + 1
        self.quiet, self.signalling = self.inf | 1 << (fraction - 1) | 1, self.inf | 1
        self.half_ulp = self(Fraction(1, 1 << self.precision))  # of 1

    def __call__(self, value):
        return exact.encode(exact.of_fraction(Fraction(value)), self.kind)

    def minus(self, bits):
        return bits ^ self.sign


def sums(m):
    last_half = m(Fraction(2) ** (m.bias - m.precision))  # half an ulp of the greatest: a tie with what would be 2^(bias + 1)
    minus = m.minus
    return [(m.inf, minus(m.inf)), (m.inf, m.one), (m.one, minus(m.one)), (minus(0), minus(0)), (0, minus(0)), (m.greatest, m.greatest),
            (m.greatest, last_half), (minus(m.greatest), minus(last_half)), (m.one, m.half_ulp), (m.one + 1, m.half_ulp),
            (m.one, m.half_ulp + 1), (minus(m.one), minus(m.half_ulp + 1)), (m.normal, minus(m.least)), (m.least, m.least),
            (m.signalling, m.one), (m.one, minus(m.quiet)), (m.half, m.half - 1)]


def differences(m):
    return [(a, m.minus(b)) for a, b in sums(m)]


def products(m):
    minus = m.minus
    return [(m.inf, 0), (m.inf, minus(m.one)), (0, minus(m.one)), (m.greatest, m.two), (minus(m.greatest), m.greatest), (m.least, m.half),
            (minus(3), m.half), (m.normal, m.half), (m.normal, m.one - 1), (m.one + 1, m(1.5)), (m.one + 3, m(1.5)), (m.one + 1, m.one + 1),
            (m.least, m.least), (minus(m.least), m.least), (m.signalling, 0), (m.half, m.one - 1)]


def fused(m):
    minus = m.minus
    return [(m.one + 1, m.one + 1, minus(m.one + 2)), (m.greatest, m.two, minus(m.greatest)), (m.inf, 0, m.one), (m.inf, m.one, minus(m.inf)),
            (minus(m.one), 0, 0), (m.one, minus(m.one), m.one), (minus(m.one), 0, minus(0)), (m.one, m.one, m.half_ulp),
            (m.one + 1, m.one, m.half_ulp), (m.least, m.half, m.least), (m.least, m.least, minus(m.one)), (m.normal, m.half, minus(m.least)),
            (m.quiet, 0, m.inf), (m.one, m.two, m.signalling), (m.one + 1, m.one - 1, minus(m.one)), (m.half, m.half, m.half)]


def quotients(m):
    minus = m.minus
    return [(m.one, 0), (minus(m.one), 0), (m.one, minus(0)), (0, 0), (m.inf, m.inf), (m.one, m.inf), (0, minus(m.one)), (m.one, m.three),
            (minus(m.two), m.three), (m.greatest, m.half), (minus(m.greatest), m.least), (m.normal, m.two), (m.least, m.two), (3, m.two),
            (m.one, m.greatest), (m.one - 1, m.one + 1), (m.signalling, m.one), (m.inf, 0)]


def remainders(m):
    minus = m.minus
    return [(m(5.5), m.two), (minus(m(5.5)), m.two), (m(5.5), minus(m.two)), (m.one, 0), (m.inf, m.one), (m.one, minus(m.inf)), (minus(0), m.one),
            (m.greatest, m.least), (m.greatest, m.three), (minus(m(6)), m.three), (m.least, m.normal), (minus(m.normal), 3), (m.signalling, m.one)]


def extremes(m):
    minus = m.minus
    return [(m.quiet, m.one), (m.one, m.signalling), (minus(m.quiet), m.signalling), (0, minus(0)), (minus(0), 0), (minus(m.inf), m.inf),
            (m.one, m.two), (minus(m.one), minus(m.two)), (m.least, minus(m.least)), (m.least, 0), (m.normal, m.normal - 1), (m.quiet, minus(m.inf))]


def alone(m):
    minus = m.minus
    return [(value,) for value in (0, minus(0), m.one, m.inf, minus(m.inf), m.signalling, minus(m.quiet), m.least, minus(m.normal - 1),
                                   m.normal, m.greatest, minus(m.three))]


def roots(m):
    minus = m.minus
    return [(value,) for value in (0, minus(0), m.one, minus(m.one), m.inf, minus(m.inf), m.signalling, m.least, minus(m.least), m.normal,
                                   m.normal - 1, m.two, m(4), m.greatest, m.one - 1)]


def signs(m):
    minus = m.minus
    return [(minus(0), m.one), (m.one, minus(m.quiet)), (minus(m.one), m.signalling), (0, minus(m.inf)), (minus(m.quiet), m.one), (m.least, minus(0))]


def choices(m):
    return [(m.signalling, m.one, 1), (m.signalling, m.one, 0), (m.minus(0), m.minus(m.quiet), 1), (m.minus(0), m.minus(m.quiet), 0)]


# ---- functions

def places(m, *values):
    """The places that all functions have in common, then its own."""
    common = [0, m.minus(0), m.least, m.one, m.minus(m.one), m.inf, m.minus(m.inf), m.signalling]
    return [(bits,) for bits in dict.fromkeys(common + [value if isinstance(value, Bits) else m(value) for value in values])]


class Bits(int):
    """Bits as they are, not a number to encode."""


def powers_of_two(m):
    return places(m, 10, Fraction(-5, 2), m.bias, m.bias + 1, 1 - m.bias, 1 - m.bias - m.precision + 1, -m.bias - 2 * m.precision, Bits(m.greatest))


def exponentials(m):
    return places(m, 2, -3, Fraction(m.bias * 7, 10), m.bias, -m.bias, Fraction(1, 64), Bits(m.minus(m.greatest)))


def logarithms(m):
    return places(m, 2, 8, 10, 100, Fraction(1, 2), Bits(m.one - 1), Bits(m.one + 1), Bits(m.greatest), Bits(m.normal))


def angles(m):
    return places(m, math.pi, math.pi / 2, -math.pi / 4, 100, 2000, Bits(m.greatest), Bits(m.normal), Fraction(-355, 113) * 16)


def sigmoids(m):
    return places(m, Fraction(1, 2), -3, 9, -9, 20, -20, Bits(m.greatest), Bits(m.normal))


def powers(m):
    minus, one, two, three, inf = m.minus, m.one, m.two, m.three, m.inf
    return [(two, m(10)), (minus(two), three), (minus(two), m.half), (0, minus(one)), (minus(0), minus(one)), (minus(0), three),
            (minus(one), inf), (m.quiet, 0), (one, m.signalling), (m.signalling, one), (inf, minus(one)), (minus(inf), three),
            (minus(inf), minus(three)), (m.half, inf), (m.half, minus(inf)), (two, m(m.bias + 1)), (two, m(1 - m.bias)),
            (minus(m.greatest), three)]


ROWS = {"fadd": sums, "fsub": differences, "fmul": products, "ffma": fused, "fmad": fused, "fdiv": quotients, "frem": remainders,
        "frcp": roots, "fsqrt": roots, "frsqrt": roots, "fmin": extremes, "fmax": extremes, "fabs": alone, "fneg": alone,
        "fcopysign": signs, "testp": alone, "mov": alone, "sel": choices,
        "ex2": powers_of_two, "exp": exponentials, "lg2": logarithms, "log": logarithms, "log10": logarithms, "sin": angles,
        "cos": angles, "tan": angles, "tanh": sigmoids, "sigmoid": sigmoids, "erf": sigmoids, "pow": powers}


def rows(semantics, kind):
    return ROWS[semantics](Marks(kind)) if semantics in ROWS else []
