"""Video instructions of PTX, by the pseudo code of the PTX ISA ("Scalar Video Instructions", "SIMD Video Instructions")."""
from numbers_ptx import compare, saturated, signed

SIGNS = ("s32", "u32")
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def part(word, selector, kind):
    """b2, h1 or all of a word, extended by sign or by zeros."""
    bits = {"b": 8, "h": 16}[selector[0]] if selector else 32
    value = word >> (int(selector[1]) * bits if selector else 0) & ((1 << bits) - 1)
    return signed(value, bits) if kind == "s32" else value


def operate(name, x, y):
    if name == "vavrg":
        return (x + y + (x + y >= 0)) >> 1
    return {"vadd": x + y, "vsub": x - y, "vabsdiff": abs(x - y), "vmin": min(x, y), "vmax": max(x, y)}[name]


def narrow(kind, bits):
    return f"{kind[0]}{bits}"


def finished(value, kind, selector, saturates, second, c):
    """Cut off, then combined with c, or put into a part of it."""
    bits = {"b": 8, "h": 16}[selector[0]] if selector else 32
    if saturates:
        value = saturated(narrow(kind, bits), value)
    if selector:
        at = int(selector[1]) * bits
        field = (1 << bits) - 1
        return c & ~(field << at) | (value & field) << at
    if second:
        value = signed(value, 32) if kind == "s32" else value & 0xFFFFFFFF
        other = signed(c, 32) if kind == "s32" else c & 0xFFFFFFFF
        return {"add": value + other, "min": min(value, other), "max": max(value, other)}[second]
    return value


def scalar(name, kinds, d="", a="", b="", saturates=False, second=""):
    """A row of an operation of a and b."""
    dot = {True: ".sat"}.get(saturates, "") + (f".{second}" if second else "")
    text = f"{name}.{'.'.join(kinds)}{dot} {place('d', d)}, {place('a', a)}, {place('b', b)}" + (", c" if second or d else "")

    def model(x, y, c=0):
        return finished(operate(name, part(x, a, kinds[1]), part(y, b, kinds[2])), kinds[0], d, saturates, second, c)
    return text, "d:u32", "a:u32 b:u32" + (" c:u32" if second or d else ""), model


def place(name, selector):
    return f"{name}.{selector}" if selector else name


def compared(kinds, relation, d="", a="", b="", second=""):
    text = (f"vset.{'.'.join(kinds)}.{relation}{'.' + second if second else ''} {place('d', d)}, {place('a', a)}, {place('b', b)}"
            + (", c" if second or d else ""))

    def model(x, y, c=0):
        return finished(int(compare(relation, part(x, a, kinds[0]), part(y, b, kinds[1]))), "u32", d, False, second, c)
    return text, "d:u32", "a:u32 b:u32" + (" c:u32" if second or d else ""), model


def shifted(name, kinds, mode, d="", a="", b="", saturates=False, second=""):
    text = (f"{name}.{'.'.join(kinds)}.u32{'.sat' if saturates else ''}.{mode}{'.' + second if second else ''} "
            f"{place('d', d)}, {place('a', a)}, {place('b', b)}" + (", c" if second or d else ""))

    def model(x, y, c=0):
        amount = part(y, b, "u32")
        amount = min(amount, 32) if mode == "clamp" else amount & 31
        value = part(x, a, kinds[1])
        value = value << amount if name == "vshl" else value >> amount
        return finished(value, kinds[0], d, saturates, second, c)
    return text, "d:u32", "a:u32 b:u32@0,1,5,7,8,15,16,24,31,32,33,40,255,0x107,0xffffffff" + (" c:u32" if second or d else ""), model


def product(kinds, a="", b="", saturates=False, scale=0, plus=False, minus=""):
    """minus: the operands that have one; of a and b at most one, and none beside c."""
    text = (f"vmad.{'.'.join(kinds)}{'.po' if plus else ''}{'.sat' if saturates else ''}{f'.shr{scale}' if scale else ''} "
            f"d, {'-' * ('a' in minus)}{place('a', a)}, {'-' * ('b' in minus)}{place('b', b)}, {'-' * ('c' in minus)}c")
    is_signed = "s32" in kinds[1:] or minus != ""

    def model(x, y, c):
        factors = part(x, a, kinds[1]) * part(y, b, kinds[2])
        addend = part(c, "", "s32" if is_signed else "u32")
        value = (-factors if minus in ("a", "b") else factors) + (-addend if minus == "c" else addend) + plus
        value >>= scale
        return saturated("s32" if is_signed else "u32", value) if saturates else value
    return text, "d:u32", "a:u32 b:u32 c:u32", model


def lanes(name, count, kinds, mask="", a="", b="", saturates=False, adds=False, relation=""):
    """A row of two or four lanes. The parts of a and b are numbered from a's lowest to b's highest."""
    bits = 32 // count
    dots = (f".{relation}" if relation else "") + (".sat" if saturates else "") + (".add" if adds else "")
    text = f"{name}{count}.{'.'.join(kinds)}{dots} {place('d', mask)}, {place('a', a)}, {place('b', b)}, c"
    sources = kinds[-2:]

    def model(x, y, c):
        parts = [word >> i * bits & ((1 << bits) - 1) for word in (x, y) for i in range(count)]
        for lane in range(count):
            if mask and str(lane) not in mask:
                continue
            left = parts[int(a[count - lane]) if a else lane]
            right = parts[int(b[count - lane]) if b else lane + count]
            left, right = (signed(v, bits) if kind == "s32" else v for v, kind in zip((left, right), sources))
            value = int(compare(relation, left, right)) if relation else operate(name, left, right)
            if saturates:
                value = saturated(narrow(kinds[0], bits), value)
            field = ((1 << bits) - 1) << lane * bits
            c = c + value if adds else c & ~field | value << lane * bits & field
        return c
    return text, "d:u32", "a:u32 b:u32 c:u32", model


def scalar_rows():
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for kinds in ((d, a, b) for d in SIGNS for a in SIGNS for b in SIGNS):
            yield scalar(name, kinds)
            yield scalar(name, kinds, saturates=True)
        yield scalar(name, ("s32", "u32", "s32"), a="b0", b="h1", saturates=True)
        yield scalar(name, ("u32", "s32", "s32"), a="b3", b="h0", saturates=True, second="add")
        yield scalar(name, ("s32", "s32", "s32"), second="min")
        yield scalar(name, ("u32", "u32", "u32"), b="b1", second="max")
        yield scalar(name, ("s32", "s32", "u32"), d="h1", saturates=True)
        yield scalar(name, ("u32", "s32", "u32"), d="b2")
        yield scalar(name, ("u32", "s32", "u32"), d="b0", a="h0", b="b2", saturates=True)
    for name in ("vshl", "vshr"):
        for mode in ("clamp", "wrap"):
            for kinds in ((d, a) for d in SIGNS for a in SIGNS):
                yield shifted(name, kinds, mode)
                yield shifted(name, kinds, mode, saturates=True)
            yield shifted(name, ("s32", "s32"), mode, a="h0", b="b1", saturates=True)
            yield shifted(name, ("u32", "u32"), mode, second="add")
            yield shifted(name, ("u32", "u32"), mode, d="h1")
    for kinds in ((d, a, b) for d in SIGNS for a in SIGNS for b in SIGNS):
        if kinds[0] == ("s32" if "s32" in kinds[1:] else "u32"):
            yield product(kinds, a="h0", b="b1")
            yield product(kinds, saturates=True)
            yield product(kinds, scale=15, plus=True)
            yield product(kinds, scale=7, saturates=True)
            for name in "abc":
                yield product(kinds, minus=name)
                yield product(kinds, b="h1", saturates=True, minus=name)
                yield product(kinds, scale=15, saturates=True, minus=name)
    for kinds in ((a, b) for a in SIGNS for b in SIGNS):
        for relation in RELATIONS:
            yield compared(kinds, relation)
        yield compared(kinds, "lt", a="b1", b="h0", second="add")
        yield compared(kinds, "ge", second="min")
        yield compared(kinds, "gt", d="b1")


def rows():
    yield from scalar_rows()
    for count in (2, 4):
        for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for kinds in ((d, a, b) for d in SIGNS for a in SIGNS for b in SIGNS):
                yield lanes(name, count, kinds)
                yield lanes(name, count, kinds, saturates=True)
            yield lanes(name, count, ("s32", "s32", "s32"), adds=True)
            yield lanes(name, count, ("u32", "u32", "u32"), adds=True)
        for kinds in ((a, b) for a in SIGNS for b in SIGNS):
            for relation in RELATIONS:
                yield lanes("vset", count, kinds, relation=relation)
            yield lanes("vset", count, kinds, relation="lt", adds=True)
    yield lanes("vadd", 2, ("s32", "s32", "s32"), "h10", "h32", "h01", saturates=True)
    yield lanes("vsub", 2, ("s32", "u32", "s32"), "h1", "h03", "h12")
    yield lanes("vadd", 4, ("s32", "s32", "s32"), "b210", "b7654", "b0123", saturates=True)
    yield lanes("vmax", 4, ("u32", "u32", "s32"), "b3", "b0246", "b1357")
