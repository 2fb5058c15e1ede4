"""Operands that always are among the vectors of conversions and comparisons."""
import corners_float
import corners_integer
import exact
from exact import Fraction, cut, highest, is_float, lowest


def fits(value, kind):
    return lowest(kind) <= value <= highest(kind)


def integer_to_integer(to, source):
    """The ends of both ranges, and what is just beyond."""
    values = [lowest(source), highest(source), -1, 0, highest(to), highest(to) + 1, lowest(to), lowest(to) - 1]
    return [value for value in values if fits(value, source)]


def integer_to_float(to, source):
    """The ends of the range; what lies halfway between two floats, and what overflows."""
    precision, top = exact.FORMATS[to]
    step = 1 << precision
    values = [lowest(source), highest(source), -1, 0, step + 1, step + 3, -step - 1, 4 * step + 5]
    if top < 64:
        limit = (1 << (top + 1)) - (1 << (top + 1 - precision))  # the greatest
        values += [limit, limit + (1 << (top - precision)) - 1, limit + (1 << (top - precision)), -limit - (1 << (top - precision))]
    return [value for value in values if fits(value, source)]


def float_to_integer(to, source, m, mods):
    half = Fraction(1, 2)
    rows = [m(value) for value in (half, 3 * half, 5 * half, -half, -3 * half, highest(to) + half, lowest(to) - 1)]
    if mods:
        return rows + [m.signalling, m.least]
    rows += [m(value) for value in (highest(to), highest(to) + 1, lowest(to))]
    return rows + [m.signalling, m.inf, m.minus(m.inf), m.minus(0), m.least, m.minus(m.greatest)]


def to_integral(m):
    half = Fraction(1, 2)
    return [m(value) for value in (half, 3 * half, 5 * half, -half, -3 * half, 7)] + [m.signalling, m.minus(m.inf), m.minus(0), m.least]


def float_to_float(to, source, m, mods):
    """What is halfway between two numbers of the result's type, around 1 and at both ends of its range."""
    half, ulp = Fraction(1, 2), Fraction(2) ** (1 - exact.FORMATS[to][0])
    top = exact.FORMATS[to][1]
    least = Fraction(2) ** (1 - top) * ulp
    if "sat" in mods:
        rows = [m(value) for value in (half, 2, -half, 1 - ulp / 4)]
        return rows + [m.signalling, m.minus(m.quiet), m.inf, m.minus(m.inf), m.minus(0), m.least]
    rows = [m(value) for value in (1 + ulp / 2, 1 + 3 * ulp / 2, -1 - ulp / 2, (2 - ulp / 2) * Fraction(2) ** top,
                                   -(2 - ulp / 2) * Fraction(2) ** top, 3 * least / 2, -least / 4)]
    rows += [m.signalling, m.least, m.minus(m.normal - 1)]
    if mods:
        return rows
    rows += [m(value) for value in (least / 2, Fraction(2) ** (1 - top) - least / 2, half)]
    return rows + [m.minus(m.quiet), m.inf, m.minus(0), m.greatest]


def of_float(to, source, mods):
    m = corners_float.Marks(source)
    if mods == ["ftz"] and "f32" not in (to, source):  # has no effect
        return [m.least, m.minus(m.normal - 1), m.one]
    if not is_float(to):
        return float_to_integer(to, source, m, mods)
    integral = any(mod in mods for mod in ("rni", "rzi", "rmi", "rpi"))
    return to_integral(m) if integral else float_to_float(to, source, m, mods)


def conversions(to, source, mods):
    if is_float(source):
        found = of_float(to, source, mods)
    else:
        values = integer_to_float(to, source) if is_float(to) else integer_to_integer(to, source)
        found = [cut(value, source) for value in values]
        if mods == ["ftz"]:  # has no effect: no integer is a subnormal
            found = found[:2]
    return [(bits,) for bits in dict.fromkeys(found)]


def comparisons(kind):
    if not is_float(kind):
        m = corners_integer.Marks(kind)
        return [(m.low, m.high), (m.ones, 0), (0, m.ones), (m.top, m.top), (m.high, m.low)]
    m = corners_float.Marks(kind)
    return [(m.one, m.quiet), (m.signalling, m.signalling), (0, m.minus(0)), (m.least, 0), (m.minus(m.inf), m.inf), (m.one, m.one), (m.two, m.one)]


def combined(kind):
    """With a predicate: each outcome with each value of it."""
    pairs = comparisons(kind)
    return [(*pairs[n % len(pairs)], n // len(pairs)) for n in range(2 * len(pairs))]
