"""What PTX says that its integer and bit instructions give. Arguments and results are bits; i8 to u64 by name."""

SMALL_SIGNED = ("i8", "i16", "i32", "i64")


def width_of(kind):
    return int(kind[1:])


def is_signed(kind):
    return kind[0] == "i"


def mask(kind):
    return (1 << width_of(kind)) - 1


def wrap(value, kind):
    return value & mask(kind)


def value_of(bits, kind):
    half = 1 << (width_of(kind) - 1)
    return bits - 2 * half if is_signed(kind) and bits >= half else bits


def limits(kind):
    width = width_of(kind)
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed(kind) else (0, (1 << width) - 1)


def clamp(value, kind):
    low, high = limits(kind)
    return wrap(min(max(value, low), high), kind)


def wide(kind):
    return f"{kind[0]}{2 * width_of(kind)}"


def on_values(function):
    """function(values...) is an exact integer; the result wraps, or with sat stays in range."""
    def instruction(kind, mods, *bits):
        value = function(*(value_of(part, kind) for part in bits))
        return clamp(value, kind) if "sat" in mods else wrap(value, kind)
    return instruction


def truncated(a, b):
    magnitude = abs(a) // abs(b)
    return magnitude if (a < 0) == (b < 0) else -magnitude


def divided(a, b):
    return truncated(a, b) if b else -1


def remainder(a, b):
    return a - truncated(a, b) * b if b else a


def high_half(kind, _mods, a, b):
    return wrap((value_of(a, kind) * value_of(b, kind)) >> width_of(kind), kind)


def high_half_add(kind, _mods, a, b, c):
    return wrap(((value_of(a, kind) * value_of(b, kind)) >> width_of(kind)) + value_of(c, kind), kind)


def wide_product(kind, _mods, a, b):
    return wrap(value_of(a, kind) * value_of(b, kind), wide(kind))


def wide_product_add(kind, _mods, a, b, c):
    return wrap(value_of(a, kind) * value_of(b, kind) + value_of(c, wide(kind)), wide(kind))


def add_with_carry(kind, _mods, a, b, carry):
    value = a + b + carry
    return [wrap(value, kind), value > mask(kind)]


def subtract_with_borrow(kind, _mods, a, b, borrow):
    value = a - b - borrow
    return [wrap(value, kind), value < 0]


def multiply_add_with_carry(half):
    def instruction(kind, _mods, a, b, c, carry):
        part = wrap(value_of(a, kind) * value_of(b, kind) >> (width_of(kind) if half == "hi" else 0), kind)
        return add_with_carry(kind, _mods, part, c, carry)
    return instruction


def dot_bytes(kind, _mods, a, b, c):
    byte = "i8" if is_signed(kind) else "u8"
    terms = (value_of(a >> at & 0xff, byte) * value_of(b >> at & 0xff, byte) for at in (0, 8, 16, 24))
    return wrap(value_of(c, kind) + sum(terms), kind)


# ---- bits

def shift_left(kind, _mods, a, amount):
    return wrap(a << min(amount, width_of(kind)), kind)


def shift_right(kind, _mods, a, amount):
    return wrap(value_of(a, kind) >> min(amount, width_of(kind)), kind)


def lop3(_kind, _mods, a, b, c, table):
    """The table is what f(0xf0, 0xcc, 0xaa) gives."""
    columns = [(a >> at & 1, b >> at & 1, c >> at & 1) for at in range(32)]
    return sum((table >> (4 * x + 2 * y + z) & 1) << at for at, (x, y, z) in enumerate(columns))


def funnel(left):
    def instruction(_kind, mods, a, b, c):
        amount = c % 32 if "wrap" in mods else min(c, 32)
        pair = b << 32 | a
        return (pair << amount) >> 32 & 0xffffffff if left else pair >> amount & 0xffffffff
    return instruction


def bit_field_extract(kind, _mods, a, b, c):
    top, position, length = width_of(kind) - 1, b & 0xff, c & 0xff
    fill = 0 if not is_signed(kind) or length == 0 else a >> min(position + length - 1, top) & 1
    bits = [a >> (position + at) & 1 if at < length and position + at <= top else fill for at in range(top + 1)]
    return sum(bit << at for at, bit in enumerate(bits))


def bit_field_insert(kind, _mods, a, b, c, length):
    top, position, result = width_of(kind) - 1, c & 0xff, b
    for at in range(length & 0xff):
        if position + at <= top:
            result = result & ~(1 << (position + at)) | (a >> at & 1) << (position + at)
    return result


def find_highest(kind, mods, a):
    pattern = ~a & mask(kind) if value_of(a, kind) < 0 else a
    if not pattern:
        return 0xffffffff
    place = pattern.bit_length() - 1
    return width_of(kind) - 1 - place if "shiftamt" in mods else place


PERMUTED = {  # mode: for c[1:0] = 0 to 3 the sources of d.b3, d.b2, d.b1, d.b0 (PTX's table)
    "f4e": ("3210", "4321", "5432", "6543"), "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"), "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"), "rc16": ("1010", "3232", "1010", "3232")}


def permute(_kind, mods, a, b, c):
    pair = b << 32 | a
    mode = next((mod for mod in mods if mod in PERMUTED), None)
    if mode:
        chosen = [int(place) for place in reversed(PERMUTED[mode][c & 3])]
    else:
        chosen = [c >> at & 15 for at in (0, 4, 8, 12)]
    result = 0
    for at, place in enumerate(chosen):
        byte = pair >> 8 * (place & 7) & 0xff
        if place & 8:
            byte = 0xff if byte & 0x80 else 0
        result |= byte << 8 * at
    return result


def reverse(kind, _mods, a):
    return int(format(a, f"0{width_of(kind)}b")[::-1], 2)


def parts(bits, kind, width):
    """The values of the parts of a word, the lowest first; signed when the word is."""
    return [value_of(bits >> at & ((1 << width) - 1), f"{kind[0]}{width}") for at in range(0, 32, width)]


def product_of_24(shift):
    def instruction(kind, mods, a, b, c=0):
        a, b = ((part & 0xffffff) - (0x1000000 if is_signed(kind) and part & 0x800000 else 0) for part in (a, b))
        return wrap((a * b >> shift) + c, kind)
    return instruction


def halves_by_bytes(skip):
    def instruction(kind, mods, a, b, c):
        (x, y), z = parts(a, kind, 16), parts(b, kind, 8)[skip:]
        return wrap(c + x * z[0] + y * z[1], kind)
    return instruction


def differences(kind, mods, a, b, c):
    return wrap(c + sum(abs(x - y) for x, y in zip(parts(a, kind, 8), parts(b, kind, 8))), kind)


def ones_in_a_row(kind, mods, a, b):
    start, count = (a % 32, b % 32) if "wrap" in mods else (a, b)
    return sum(1 << i for i in range(32) if start <= i < start + count)


INSTRUCTIONS = {
    "cnot": lambda kind, mods, a: 0 if a & mask(kind) else 1, "bmsk": ones_in_a_row, "sad4": differences,
    "mul24_lo": product_of_24(0), "mul24_hi": product_of_24(16), "mad24_lo": product_of_24(0), "mad24_hi": product_of_24(16),
    "dp2a_lo": halves_by_bytes(0), "dp2a_hi": halves_by_bytes(2),
    "add": on_values(lambda a, b: a + b), "sub": on_values(lambda a, b: a - b), "mul": on_values(lambda a, b: a * b),
    "mad": on_values(lambda a, b, c: a * b + c), "div": on_values(divided), "rem": on_values(remainder),
    "min": on_values(min), "max": on_values(max), "abs": on_values(abs), "neg": on_values(lambda a: -a),
    "sad": on_values(lambda a, b, c: c + abs(a - b)),
    "mulhi": high_half, "madhi": high_half_add, "mulw": wide_product, "madw": wide_product_add,
    "addc": add_with_carry, "subc": subtract_with_borrow, "madc_lo": multiply_add_with_carry("lo"),
    "madc_hi": multiply_add_with_carry("hi"), "dp4a": dot_bytes,
    "and": on_values(lambda a, b: a & b), "or": on_values(lambda a, b: a | b), "xor": on_values(lambda a, b: a ^ b),
    "not": on_values(lambda a: ~a), "shl": shift_left, "shr": shift_right, "lop3": lop3,
    "shf_l": funnel(True), "shf_r": funnel(False), "bfe": bit_field_extract, "bfi": bit_field_insert,
    "bfind": find_highest, "popc": lambda kind, mods, a: bin(a).count("1"),
    "clz": lambda kind, mods, a: width_of(kind) - a.bit_length(), "brev": reverse, "prmt": permute,
}
