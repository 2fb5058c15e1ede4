"""What PTX says that its float instructions give, over exact numbers."""
from fractions import Fraction

import ieee
from ieee import NAN, Number, finite, infinity

MODES = ("rn", "rz", "rm", "rp")


def mode_of(mods):
    return next((mod for mod in mods if mod in MODES), "rn")


# ---- exact results of IEEE 754 operations; `mode` matters for the sign of a zero that comes from cancelling

def total(a, b, mode):
    if "nan" in (a.kind, b.kind):
        return NAN
    if a.kind == "inf" or b.kind == "inf":
        if a.kind == b.kind and a.negative != b.negative:
            return NAN
        return a if a.kind == "inf" else b
    value = a.exact + b.exact
    if value:
        return finite(value)
    if a.is_zero and b.is_zero and a.negative == b.negative:
        return a
    return finite(0, negative_zero=mode == "rm")


def negated(a):
    return a.with_sign(not a.negative)


def product(a, b, _mode="rn"):
    negative = a.negative != b.negative
    if "nan" in (a.kind, b.kind) or ("inf" in (a.kind, b.kind) and (a.is_zero or b.is_zero)):
        return NAN
    if "inf" in (a.kind, b.kind):
        return infinity(negative)
    return Number("finite", negative, a.magnitude * b.magnitude)


def quotient(a, b, _mode="rn"):
    negative = a.negative != b.negative
    if "nan" in (a.kind, b.kind) or a.kind == b.kind == "inf" or (a.is_zero and b.is_zero):
        return NAN
    if a.kind == "inf" or b.is_zero:
        return infinity(negative)
    if b.kind == "inf" or a.is_zero:
        return Number("finite", negative)
    return Number("finite", negative, a.magnitude / b.magnitude)


def square_root(a, _mode="rn"):
    if a.kind == "nan" or a.is_zero:
        return a
    if a.negative:
        return NAN
    return a if a.kind == "inf" else Number("finite", False, ieee.root(a.magnitude))


def remainder(a, b, _mode="rn"):
    if "nan" in (a.kind, b.kind) or a.kind == "inf" or b.is_zero:
        return NAN
    if b.kind == "inf" or a.is_zero:
        return a
    times = (a.magnitude / b.magnitude).__floor__()
    return Number("finite", a.negative, a.magnitude - times * b.magnitude)


# ---- instructions: bits to bits

def finish(number, kind, mods, mode="rn"):
    """Round, flush, saturate: PTX's order of .rnd, .ftz, .sat."""
    number = ieee.round_number(number, kind, mode)
    if "ftz" in mods:
        number = ieee.flushed(number, kind)
    if "sat" in mods:
        number = ieee.clamped(number)
    return ieee.pack(number, kind)


def inputs(bits, kind, mods):
    numbers = [ieee.unpack(value, kind) for value in bits]
    return [ieee.flushed(number, kind) for number in numbers] if "ftz" in mods else numbers


def rounded_once(exact):
    def instruction(kind, mods, *bits):
        mode = mode_of(mods)
        return finish(exact(*inputs(bits, kind, mods), mode), kind, mods, mode)
    return instruction


def multiply_add(kind, mods, *bits):
    """mad: the product is rounded, then the sum. ftz is for inputs and results: the product stays as it is."""
    a, b, c = inputs(bits, kind, mods)
    mode = mode_of(mods)
    part = ieee.round_number(product(a, b), kind, mode)
    return finish(total(part, c, mode), kind, mods, mode)


def order(number):
    """A key that sorts numbers, -0 before +0."""
    limit = Fraction(2) ** 4000
    value = limit if number.kind == "inf" else number.magnitude
    return (-value if number.negative else value, not number.negative)


def extremum(pick):
    def instruction(kind, mods, *bits):
        a, b = inputs(bits, kind, mods)
        if a.kind == "nan" or b.kind == "nan":
            chosen = NAN if "nan" in mods or a.kind == b.kind else b if a.kind == "nan" else a
        else:
            chosen = pick(a, b, key=order)
        return ieee.pack(chosen, kind)
    return instruction


def on_sign_bit(change):
    """abs and neg: on the bits, NaNs too; with ftz they count as computed."""
    def instruction(kind, mods, bits):
        sign = ieee.FORMATS[kind].sign_bit
        if "ftz" not in mods:
            return change(bits, sign)
        if ieee.is_nan(bits, kind):
            return ieee.FORMATS[kind].canonical_nan
        return change(ieee.pack(ieee.flushed(ieee.unpack(bits, kind), kind), kind), sign)
    return instruction


def copysign(kind, _mods, a, b):
    sign = ieee.FORMATS[kind].sign_bit
    return (a & sign) | (b & ~sign)


def testp(kind, mods, bits):
    """PTX: zeros of both signs count as normal."""
    number = ieee.unpack(bits, kind)
    small = number.kind == "finite" and 0 < number.magnitude < ieee.FORMATS[kind].least_normal
    answers = {"finite": number.kind == "finite", "infinite": number.kind == "inf", "number": number.kind != "nan",
               "notanumber": number.kind == "nan", "normal": number.kind == "finite" and not small, "subnormal": small}
    return next(answers[mod] for mod in mods if mod in answers)


INSTRUCTIONS = {
    "fadd": rounded_once(total), "fsub": rounded_once(lambda a, b, mode: total(a, negated(b), mode)),
    "fmul": rounded_once(product), "ffma": rounded_once(lambda a, b, c, mode: total(product(a, b), c, mode)),
    "fmad": multiply_add, "fdiv": rounded_once(quotient), "frem": rounded_once(remainder),
    "frcp": rounded_once(lambda a, mode: quotient(ieee.ONE, a)), "fsqrt": rounded_once(square_root),
    "fmin": extremum(min), "fmax": extremum(max),
    "fabs": on_sign_bit(lambda bits, sign: bits & ~sign), "fneg": on_sign_bit(lambda bits, sign: bits ^ sign),
    "fcopysign": copysign, "testp": testp,
}
