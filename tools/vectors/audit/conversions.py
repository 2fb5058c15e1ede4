"""cvt, comparisons, and what moves bits about."""
import floats
import ieee
import integers
from ieee import FORMATS, Number
from integers import value_of, width_of, wrap

TO_INTEGER = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def float_to_integer(number, kind, source, mode):
    if number.kind == "nan":
        top = source == "f64" or width_of(kind) == 64
        return 1 << (width_of(kind) - 1) if top else 0
    if number.kind == "inf":
        low, high = integers.limits(kind)
        return wrap(low if number.negative else high, kind)
    whole = ieee.whole_of(number.magnitude, number.negative, mode)
    return integers.clamp(-whole if number.negative else whole, kind)


def convert(kind, source, mods, bits):
    integral = next((TO_INTEGER[mod] for mod in mods if mod in TO_INTEGER), None)
    if source not in FORMATS:
        value = value_of(bits, source)
        if kind not in FORMATS:
            return integers.clamp(value, kind) if "sat" in mods else wrap(value, kind)
        number = ieee.finite(value)
    else:
        number = ieee.unpack(bits, source)
        if "ftz" in mods and source == "f32":
            number = ieee.flushed(number, source)
        if kind not in FORMATS:
            return float_to_integer(number, kind, source, integral or "rz")
    if integral and number.kind == "finite":
        number = Number("finite", number.negative, ieee.Fraction(ieee.whole_of(number.magnitude, number.negative, integral)))
    number = ieee.round_number(number, kind, floats.mode_of(mods))
    if "ftz" in mods and kind == "f32":
        number = ieee.flushed(number, kind)
    return ieee.pack(ieee.clamped(number) if "sat" in mods else number, kind)


# ---- comparisons

BASE = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
RELATIONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
             "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def compare_integers(condition, kind, a, b):
    if condition in ("lo", "ls", "hi", "hs", "ltu", "leu", "gtu", "geu"):
        return RELATIONS[BASE.get(condition, condition[:2])](a, b)
    return RELATIONS[condition](value_of(a, kind), value_of(b, kind))


def compare_floats(condition, kind, mods, *bits):
    a, b = floats.inputs(bits, kind, mods)
    unordered = "nan" in (a.kind, b.kind)
    if condition in ("num", "nan"):
        return unordered == (condition == "nan")
    if unordered:
        return condition.endswith("u")
    return RELATIONS[condition[:2]](floats.order(a)[0], floats.order(b)[0])


def compare(kind, mods, a, b):
    condition = next(mod for mod in mods if mod in RELATIONS or mod in BASE or
                     mod in ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"))
    if kind in FORMATS:
        return compare_floats(condition, kind, mods, a, b)
    return compare_integers(condition, kind, a, b)


def setp(kind, mods, a, b, c=None):
    """Both results: t := a CC b; p := t op c, q := !t op c."""
    truth = compare(kind, mods, a, b)
    combine = next((mod for mod in mods if mod in ("and", "or", "xor")), None)
    if combine is None:
        return [truth, not truth]
    return [{"and": t and bool(c), "or": t or bool(c), "xor": t != bool(c)}[combine] for t in (truth, not truth)]


def at_least_zero(kind, mods, bits):
    """slct: by the sign of an integer; a float's must be a number, and -0 is one."""
    return compare(kind, ["ge", *mods], bits, 0)


def set_register(kind, source, mods, a, b):
    if not compare(source, mods, a, b):
        return 0
    return ieee.pack(ieee.ONE, kind) if kind in FORMATS else integers.mask(kind)


PREDICATES = {"pmov": lambda a: a, "pnot": lambda a: not a, "pand": lambda a, b: a and b, "por": lambda a, b: a or b,
              "pxor": lambda a, b: a != b}
