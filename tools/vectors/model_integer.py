"""Integers and bits: what each meaning gives, from PTX ISA's descriptions. Arguments and results are bits."""
from exact import WIDTH, clamp, cut, highest, lowest, number

TWICE = {"i8": "i16", "u8": "u16", "i16": "i32", "u16": "u32", "i32": "i64", "u32": "u64", "f16": "u32", "bf16": "u32", "f32": "u64"}


def quotient(a, b, kind):
    """PTX leaves division by zero open; hexec defines all ones. MIN / -1 wraps to MIN."""
    if b == 0:
        return -1
    whole = abs(a) // abs(b)
    return cut(-whole if (a < 0) != (b < 0) else whole, kind)


def divide(kind, mods, a, b):
    return cut(quotient(number(a, kind), number(b, kind), kind), kind)


def remainder(kind, mods, a, b):
    x, y = number(a, kind), number(b, kind)
    if y == 0:
        return cut(x, kind)
    rest = abs(x) % abs(y)
    return cut(-rest if x < 0 else rest, kind)


def wrapped(function):
    """A function of numbers whose result wraps, or clamps with .sat."""
    def evaluate(kind, mods, *bits):
        result = function(*(number(value, kind) for value in bits))
        return cut(clamp(result, kind) if "sat" in mods else result, kind)
    return evaluate


def wide(function):
    """... whose result has twice the width."""
    def evaluate(kind, mods, a, b, *c):
        return cut(function(number(a, kind), number(b, kind), *(number(value, TWICE[kind]) for value in c)), TWICE[kind])
    return evaluate


def with_carry(sign):
    def evaluate(kind, mods, a, b, carry):
        result = a + sign * (b + carry)
        return [cut(result, kind), result >> WIDTH[kind] != 0]
    return evaluate


def product_with_carry(high):
    """PTX ISA, madc: the product by the type's sign; the sum, and what is carried out of it, without."""
    def evaluate(kind, mods, a, b, c, carry):
        product = number(a, kind) * number(b, kind)
        result = cut(product >> WIDTH[kind] if high else product, kind) + c + carry
        return [cut(result, kind), result >> WIDTH[kind] != 0]
    return evaluate


def dot_bytes(kind, mods, a, b, c):
    part = "i8" if kind == "i32" else "u8"
    return cut(c + sum(number(a >> 8 * i, part) * number(b >> 8 * i, part) for i in range(4)), kind)


def low24(a, kind):
    """PTX ISA, mul24: the low 24 bits, as a number of that sign."""
    low = a & 0xffffff
    return low - (1 << 24) if kind == "i32" and low >> 23 else low


def product24(high, adds):
    def evaluate(kind, mods, a, b, c=0):
        product = low24(a, kind) * low24(b, kind)
        return cut((product >> 16 if high else product) + (number(c, kind) if adds else 0), kind)
    return evaluate


def dot_halves(first):
    def evaluate(kind, mods, a, b, c):
        half, byte = ("i16", "i8") if kind == "i32" else ("u16", "u8")
        return cut(c + sum(number(a >> 16 * i, half) * number(b >> 8 * (first + i), byte) for i in range(2)), kind)
    return evaluate


def byte_differences(kind, mods, a, b, c):
    part = "i8" if kind == "i32" else "u8"
    return cut(c + sum(abs(number(a >> 8 * i, part) - number(b >> 8 * i, part)) for i in range(4)), kind)


# ---- Logic

def bit_mask(kind, mods, a, b):
    """PTX ISA, bmsk: b ones from bit a on."""
    if "wrap" in mods:
        a, b = a & 31, b & 31
    return cut(((1 << min(b, 32)) - 1) << a, kind) if a < 32 else 0


def shift_left(kind, mods, a, amount):
    return cut(a << amount, kind) if amount < WIDTH[kind] else 0


def shift_right(kind, mods, a, amount):
    return cut(number(a, kind) >> min(amount, WIDTH[kind]), kind)


def lookup(kind, mods, a, b, c, table):
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(WIDTH[kind]))


def funnel(left):
    def evaluate(kind, mods, a, b, amount):
        amount = amount & 31 if "wrap" in mods else min(amount, 32)
        both = b << 32 | a
        return cut(both << amount >> 32 if left else both >> amount, "u32")
    return evaluate


def extract(kind, mods, a, position, length):
    position, length, width = position & 255, length & 255, WIDTH[kind]
    value = number(a, kind)  # bits beyond the top are the sign's, or 0
    if length == 0:
        return 0
    field = (value >> position) & ((1 << length) - 1)
    if kind.startswith("i"):
        top = min(position + length - 1, width - 1)
        if a >> top & 1:
            field |= -1 << length if position + length <= width else -1 << max(0, width - position)
    return cut(field, kind)


def insert(kind, mods, field, base, position, length):
    position, length, width = position & 255, length & 255, WIDTH[kind]
    mask = cut(((1 << length) - 1) << position, kind) if position < width else 0
    return cut((base & ~mask) | (field << position & mask), kind) if mask else base


def top_bit(a, kind):
    value = number(a, kind)
    return (~value if value < 0 else value).bit_length() - 1


def find(kind, mods, a):
    found = top_bit(a, kind)
    if found < 0:
        return 0xffffffff
    return WIDTH[kind] - 1 - found if "shiftamt" in mods else found


def reverse(kind, mods, a):
    return int(format(a, f"0{WIDTH[kind]}b")[::-1], 2)


def permute(kind, mods, a, b, selector):
    both = b << 32 | a

    def byte(at):
        return both >> 8 * (at & 7) & 255
    s = selector & 3
    modes = {"f4e": [s, s + 1, s + 2, s + 3], "b4e": [s, s - 1, s - 2, s - 3], "rc8": [s] * 4,
             "ecl": [s, max(s, 1), max(s, 2), 3], "ecr": [0, min(s, 1), min(s, 2), s],
             "rc16": [2, 3, 2, 3] if s & 1 else [0, 1, 0, 1]}
    for mode, places in modes.items():
        if mode in mods:
            return sum(byte(at) << 8 * i for i, at in enumerate(places))
    result = 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        value = byte(nibble)
        if nibble & 8:
            value = 255 if value & 128 else 0
        result |= value << 8 * i
    return result


CASES = {
    "slct_i32": lambda kind, mods, a, b, c: a if number(c, "i32") >= 0 else b,
    "cnot": lambda kind, mods, a: int(cut(a, kind) == 0), "bmsk": bit_mask, "sad4": byte_differences,
    "mul24_lo": product24(False, False), "mul24_hi": product24(True, False), "mad24_lo": product24(False, True),
    "mad24_hi": product24(True, True), "dp2a_lo": dot_halves(0), "dp2a_hi": dot_halves(2),
    "add": wrapped(lambda a, b: a + b), "sub": wrapped(lambda a, b: a - b), "mul": wrapped(lambda a, b: a * b),
    "mulhi": lambda kind, mods, a, b: cut(number(a, kind) * number(b, kind) >> WIDTH[kind], kind),
    "mulw": wide(lambda a, b: a * b), "madw": wide(lambda a, b, c: a * b + c),
    "mad": wrapped(lambda a, b, c: a * b + c),
    "madhi": lambda kind, mods, a, b, c: cut((number(a, kind) * number(b, kind) >> WIDTH[kind]) + c, kind),
    "div": divide, "rem": remainder, "min": wrapped(min), "max": wrapped(max), "abs": wrapped(abs),
    "neg": wrapped(lambda a: -a), "addc": with_carry(1), "subc": with_carry(-1), "madc_lo": product_with_carry(False),
    "madc_hi": product_with_carry(True), "dp4a": dot_bytes,
    "sad": wrapped(lambda a, b, c: c + abs(a - b)),
    "and": wrapped(lambda a, b: a & b), "or": wrapped(lambda a, b: a | b), "xor": wrapped(lambda a, b: a ^ b),
    "not": wrapped(lambda a: ~a), "shl": shift_left, "shr": shift_right, "lop3": lookup,
    "shf_l": funnel(True), "shf_r": funnel(False), "bfe": extract, "bfi": insert, "bfind": find,
    "popc": lambda kind, mods, a: bin(a).count("1"), "clz": lambda kind, mods, a: WIDTH[kind] - a.bit_length(),
    "brev": reverse, "prmt": permute,
}


def limits(kind):
    return lowest(kind), highest(kind)
