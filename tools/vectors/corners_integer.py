"""Operands that always are among the vectors of integer and bit instructions: overflow, MIN and -1, division by zero, shifts
by the width and more, fields of length 0 and beyond the end."""
from exact import WIDTH, cut, highest, lowest
from model_integer import TWICE

TABLES = [0x00, 0xff, 0x80, 0xfe, 0x96, 0xca, 0xe8, 0x3a, 0x01, 0x69]


class Marks:
    """The remarkable bits of an integer type."""

    def __init__(self, kind):
        self.kind, self.width = kind, WIDTH[kind]
        self.low, self.high, self.ones = cut(lowest(kind), kind), highest(kind), cut(-1, kind)
        self.top, self.root = 1 << (self.width - 1), 1 << (self.width // 2)
        self.odd = cut(0x5555555555555555, kind)
        self.pattern = cut(0x89abcdef12345678, kind) | self.top

    def __call__(self, value):
        return cut(value, self.kind)


def products(m):
    return [(m.high, m.high), (m.low, m.low), (m.low, m.ones), (m.ones, m.ones), (m.root, m.root), (m.top, 2), (0, m.low)]


def sums(m):
    return [(m.high, 1), (m.high, m.high), (m.low, m.ones), (m.low, m.low), (m.ones, 1), (m.top, m.top)]


def differences(m):
    return [(m.low, 1), (m.high, m.ones), (0, 1), (0, m.low), (m.low, m.high), (m.ones, m.ones)]


def quotients(m):
    return [(7, 0), (m.low, 0), (0, 0), (m.top, m.ones), (m(-7), 2), (7, m(-2)), (m(-7), m(-2)), (m.high, m.top), (m.top, 1),
            (m.high, m.ones)]


def orders(m):
    return [(m.low, m.high), (m.high, m.low), (m.ones, 0), (0, m.ones), (m.top, m.top), (m.top, m.high)]


def alone(m):
    return [(0,), (1,), (m.ones,), (m.top,), (m.high,), (m.top + 1,), (m.odd,), (m.root,)]


def carries(m):
    return [(m.ones, 0, 1), (m.ones, m.ones, 1), (0, 0, 0), (0, 0, 1), (m.ones, 1, 0), (m.top - 1, 1, 0), (m.top, m.top, 1)]


def borrows(m):
    return [(0, 0, 1), (0, 1, 0), (0, m.ones, 1), (5, 5, 0), (5, 5, 1), (m.top, 1, 0), (m.ones, m.ones, 1)]


def product_carries(m):
    """The sum at and beyond the top, by c and by the carry that comes in; products with and without a sign."""
    return [(m.ones, m.ones, m.ones, 1), (m.ones, m.ones, 0, 0), (0, m.top, m.ones, 0), (0, m.top, m.ones, 1), (m.low, m.ones, 0, 1),
            (m.low, m.ones, m.top, 0), (m.high, m.high, m.ones, 1), (1, 1, m.ones, 0), (1, 1, m(-2), 1), (m.root, m.root, m.ones, 0),
            (m.ones, 1, m.ones, 0), (m.ones, 1, 0, 1)]


def with_addend(rows, addends):
    return [(*row, addends[n % len(addends)]) for n, row in enumerate(rows)]


def shifts(m):
    w = m.width
    return [(m.ones, 0), (m.ones, w - 1), (m.ones, w), (m.top, w - 1), (m.top, w), (m.top, w + 1), (1, w - 1), (m.pattern, 1),
            (m.pattern, 31), (m.pattern, 32), (m.pattern, 256), (m.top, 0xffffffff)]


def funnels(m):
    return [(0x12345678, 0x9abcdef0, amount) for amount in (0, 1, 31, 32, 33, 63, 64, 0xffffffff)] + [(0x80000000, 1, 4)]


def extracts(m):
    w, p = m.width, m.pattern
    return [(p, 0, 0), (p, w, 0), (p, w, 1), (p, 0, w), (p, 0, 255), (p, w - 1, 1), (p, w - 4, 8), (m.high, w - 4, 8), (p, 4, 8),
            (p, 255, 255), (p, 256, 8), (p, 8, 256), (m.ones, 8, 8), (m.high, 0, w - 1)]


def inserts(m):
    w, b = m.width, m.odd
    return [(m.ones, b, 0, 0), (m.ones, b, 0, w), (0, m.ones, 0, 255), (m.ones, 0, w - 1, 1), (m.ones, 0, w - 4, 8), (m.ones, b, w, 1),
            (m.ones, b, 255, 255), (m.pattern, b, 4, 8), (m.ones, 0, 256, 8), (m.ones, 0, 8, 256), (0, m.ones, 4, 8)]


def permutations(m):
    a, b = 0x33a21180, 0x77e65584
    return [(a, b, c) for c in (0x3210, 0x7654, 0x0123, 0xba98, 0xfedc, 0x8888, 0xffff3210, 0x7531)]


def permutation_modes(m):
    return [(0x33a21180, 0x77e65584, c) for c in (0, 1, 2, 3, 4, 0xfffffffe)]


def dots(m):
    return [(0x80808080, 0x80808080, 0), (0xffffffff, 0xffffffff, 0xffffffff), (0x7f7f7f7f, 0x80808080, 0x80000000),
            (0x01020304, 0x05060708, 0x7fffffff), (0xff01ff01, 0x01ff01ff, 0)]


def distances(m):
    return [(m.low, m.high, 0), (m.high, m.low, m.ones), (m.low, m.ones, 1), (5, 9, 0), (9, 5, m.high), (m.top, m.top, m.low)]


def truth_tables(m):
    columns = (0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa)
    return [(*columns, table) for table in TABLES] + [(0xff00ff00, 0x12345678, 0x9abcdef0, 0xca)]


def bitwise(m):
    return [(0, m.ones), (m.ones, m.ones), (m.odd, m(~m.odd)), (m.pattern, m.odd), (m.top, m.ones)]


def wide_addends(m):
    return [0, cut(-1, TWICE[m.kind]), 1 << (2 * m.width - 1), (1 << (2 * m.width - 1)) - 1, 1]


ROWS = {"add": sums, "sub": differences, "mul": products, "mulhi": products, "mulw": products,
        "mad": lambda m: with_addend(products(m), [m.high, 1, m.ones]), "madhi": lambda m: with_addend(products(m), [m.high, 1, m.ones]),
        "madw": lambda m: with_addend(products(m), wide_addends(m)),
        "div": quotients, "rem": quotients, "min": orders, "max": orders, "abs": alone, "neg": alone, "addc": carries, "subc": borrows,
        "madc_lo": product_carries, "madc_hi": product_carries,
        "sad": distances, "dp4a": dots, "and": bitwise, "or": bitwise, "xor": bitwise, "not": alone, "shl": shifts, "shr": shifts,
        "shf_l": funnels, "shf_r": funnels, "lop3": truth_tables, "bfe": extracts, "bfi": inserts, "bfind": alone, "popc": alone,
        "clz": alone, "brev": alone, "prmt": permutations, "mov": alone,
        "sel": lambda m: [(m.top, 1, 1), (m.top, 1, 0), (0, m.ones, 1), (0, m.ones, 0)]}


def rows(semantics, kind, mods):
    if semantics == "prmt" and mods:
        return permutation_modes(Marks(kind))
    return ROWS[semantics](Marks(kind)) if semantics in ROWS else []
