"""Which numbers vectors are about: the corners of each type, and some that are drawn, the same ones each time."""
import hashlib
import random

import exact


def generator(*names):
    """Random numbers that depend on the names alone."""
    digest = hashlib.sha256("/".join(map(str, names)).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "little"))


def integers(kind):
    width = exact.WIDTH[kind]
    top = 1 << (width - 1)
    return [0, 1, exact.cut(-1, kind), top, top - 1, top + 1, 2, 3, exact.cut(-2, kind), 0x55 * (top // 0x55 | 1) & (2 * top - 1)]


def floats(kind):
    one = exact.encode(exact.Value(1), kind)
    sign = exact.sign_bit(kind)
    normal = exact.smallest_normal(kind)
    half = exact.encode(exact.Value(exact.Fraction(1, 2)), kind)
    return [0, sign, one, one | sign, one + 1, one - 1, half, exact.encode(exact.Value(3), kind), 1, sign | 1, normal - 1, normal,
            exact.largest(kind), exact.largest(kind, True), exact.infinity(kind), exact.infinity(kind, True),
            exact.infinity(kind) | 1 << (exact.fields(kind)[0] - 1) | 1, exact.infinity(kind) | 1 | sign,
            exact.encode(exact.of_fraction(exact.Fraction(-5, 2)), kind)]


def corners(kind):
    return floats(kind) if exact.is_float(kind) else integers(kind)


def drawn(rng, kind):
    """Any bits; of floats mostly numbers of moderate size, so that sums do not lose one of their terms."""
    width = exact.WIDTH[kind]
    bits = rng.getrandbits(width)
    if not exact.is_float(kind) or rng.random() < 0.25:
        return bits >> rng.randrange(width) if not exact.is_float(kind) and rng.random() < 0.5 else bits
    fraction, _, bias = exact.fields(kind)
    spread = min(6, bias // 2)
    exponent = bias + rng.randint(-spread, spread)
    return (bits & (exact.sign_bit(kind) | ((1 << fraction) - 1))) | exponent << fraction


def tuples(kinds, count, *names):
    """Operands: first corners met with corners, then drawn ones."""
    rng = generator(*names)
    if len(kinds) == 1:
        found = [(bits,) for bits in corners(kinds[0])]
        rng.shuffle(found)
        found = found[:max(count - 3, count // 2)]
    else:
        found = []
        while len(found) < (2 * count + 2) // 3:
            found.append(tuple(rng.choice(corners(kind)) for kind in kinds))
    while len(found) < count:
        found.append(tuple(drawn(rng, kind) for kind in kinds))
    return list(dict.fromkeys(found))
