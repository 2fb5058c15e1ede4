"""Loads, stores, atomics and addresses, over a list of bytes."""
import floats
import ieee
import integers
import packed

SHARED, LOCAL, CONST = 0xa00000000000, 0xb00000000000, 0xc00000000000
WINDOWS = {"shared": SHARED, "local": LOCAL, "const": CONST}
WINDOW = 1 << 40
MASK = (1 << 64) - 1
ORDINARY = 0x1000000000000000  # the only cache policy that there is


def is_access(semantics):
    return semantics.split("_")[0] in ("load", "store", "atomic")


def space_of(mods):
    return next(mod for mod in mods if mod in WINDOWS or mod == "global")


def in_space(mods, address):
    inside = {name: base <= address < base + WINDOW for name, base in WINDOWS.items()}
    space = space_of(mods)
    return inside[space] if space != "global" else not any(inside.values())


ADDRESSES = {"cvta": lambda mods, a: a + WINDOWS.get(space_of(mods), 0) & MASK,
             "cvta_to": lambda mods, a: a - WINDOWS.get(space_of(mods), 0) & MASK, "isspacep": in_space}


def count_of(mods):
    return 4 if "v4" in mods else 2 if "v2" in mods else 1


def bytes_of(values, size):
    return b"".join(value.to_bytes(size, "little") for value in values)


def values_of(data, size):
    return [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]


def expected_fault(at, length, end):
    """What the access must fault with. An address that is wrong in both ways may fault either way."""
    wrong = {kind for kind, is_so in (("misaligned", at % length != 0), ("out_of_range", at < 0 or at + length > end)) if is_so}
    return wrong


def arrival(word, by):
    """The barrier's word as 64 binary digits: phase, bytes, members, pending (the instruction set's atoms.arrive)."""
    cuts = [(0, 2), (2, 24), (24, 44), (44, 64)]
    phase, size, members, pending = (int(word[a:b], 2) for a, b in cuts)
    _, added, gone, came = (int(by[a:b], 2) for a, b in cuts)
    size, members, pending = (size + added) & 0x3fffff, (members - gone) & 0xfffff, (pending - came) & 0xfffff
    ends = size == 0 and pending == 0
    return int(f"{(phase + ends) % 4:02b}{size:022b}{members:020b}{members if ends else pending:020b}", 2)


def atomic_result(operation, kind, old, b, f):
    if kind in packed.HALVES:
        return packed.each_half(lambda half, _, part: atomic_result(operation, half, *part, None), kind, None, [old, b])
    if operation in ("fmin", "fmax"):
        return floats.INSTRUCTIONS[operation](kind, [], old, b)
    if operation == "add" and kind in ieee.FORMATS:
        return floats.INSTRUCTIONS["fadd"](kind, [], old, b)
    if operation in ("add", "sub", "min", "max", "and", "or", "xor"):
        return integers.INSTRUCTIONS[operation](kind, [], old, b)
    if operation == "exch":
        return b
    if operation == "cas":
        return f if old == b else old
    if operation == "inc":
        return 0 if old >= b else old + 1
    if operation == "dec":
        return b if old == 0 or old > b else old - 1
    if operation == "arrive":
        return arrival(f"{old:064b}", f"{b:064b}")
    raise ValueError(operation)


def check(op, case, vector, bits_of):
    """None, or a pair: what the vector says, what it should."""
    parts = op.entry["semantics"].split("_")
    kind, size = op.kind, (4 if op.kind in packed.HALVES else integers.width_of(op.kind.replace("bf", "f")) // 8)
    memory = [bits_of(text, kind) for text in vector.get("memory", case.get("memory"))]
    given = [bits_of(text, kind) for text in vector.get("in", [])]
    data, at, length = bytearray(bytes_of(memory, size)), int(vector["at"]), size * count_of(op.mods)
    faults = expected_fault(at, length, len(data))
    if faults or "fault" in vector:
        return None if vector.get("fault") in faults else (vector.get("fault"), sorted(faults))
    old, out = values_of(data[at:at + length], size), []
    if parts[0] == "load":
        out = old
    elif parts[0] == "store":
        data[at:at + length] = bytes_of(given, size)
    else:
        new = atomic_result(parts[1], kind, old[0], given[0], given[1] if len(given) > 1 else None)
        data[at:at + length] = bytes_of([new], size)
        out = old if "d" in op.entry["operands"] else []
    texts = vector.get("out", [])
    said = [bits_of(text, kind) for text in (texts if isinstance(texts, list) else [texts])]
    after = [bits_of(text, kind) for text in vector["after"]] if "after" in vector else values_of(data, size)
    return None if (said, after) == (out, values_of(data, size)) else ([*said, *after], [*out, *values_of(data, size)])
