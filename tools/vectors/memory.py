"""Loads, stores, atomics, addresses and halves of words."""
import corners_float
import corners_integer
import exact
import model_float
import samples
from cases import name
from exact import PACKED, WIDTH, cut, is_float, joined, parted

WINDOWS = {"global": 0, "shared": 0xa00000000000, "local": 0xb00000000000, "const": 0xc00000000000}
WINDOW_BYTES = 1 << 40
NO_EFFECT = ["noftz", "ca", "cg", "cs", "nc", "wb", "wt", "lu", "cv", "weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "block",
             "device", "system", "cta", "gpu", "sys", "cluster"]


def is_access(semantics):
    return semantics.startswith(("load_", "store_", "atomic_"))


def is_address(semantics):
    return semantics in ("cvta", "cvta_to", "isspacep")


def drawn(count, kind, *names):
    rng = samples.generator("memory", kind, *names)
    return [rng.getrandbits(WIDTH[kind]) for _ in range(count)]


def cases(entry):
    semantics = entry["semantics"]
    for kind in entry["types"]:
        mods = [mod for mod in entry.get("modifiers", []) if mod in NO_EFFECT]
        if semantics.startswith("atomic_"):
            yield name(entry, [], kind, None), kind, list(atomic_vectors(entry, kind))
            for mod in mods:
                yield name(entry, [mod], kind, None), kind, [atomic_vector(entry, kind, 3, 3, 1)]
            continue
        for vector, mod in ((1, None), (2, "v2"), (4, "v4")):
            if mod is None or mod in entry.get("modifiers", []):
                yield name(entry, [mod] if mod else [], kind, None), kind, list(move_vectors(entry, kind, vector))
        for mod in mods:
            yield name(entry, [mod], kind, None), kind, list(hint_vectors(entry, kind))


# ---- Loads and stores

def remarkable(kind):
    """Two that loads and stores must leave as they are: a signalling NaN and -0; the ends of an integer's range."""
    if is_float(kind):
        m = corners_float.Marks(kind)
        return [m.signalling, m.minus(0)]
    m = corners_integer.Marks(kind)
    return [m.top, m.ones]


def hint_vectors(entry, kind):
    """One vector, for modifiers that have no effect."""
    if entry["semantics"].startswith("load_"):
        yield {"memory": [3], "at": 0, "in": [], "out": [3], "after": None}
    else:
        yield {"memory": [1], "at": 0, "in": [3], "out": [], "after": [3]}


def move_vectors(entry, kind, vector):
    size, loads = WIDTH[kind] // 8, entry["semantics"].startswith("load_")
    width = size * vector
    memory = drawn(2 * vector + (vector == 1), kind, entry["semantics"], vector)
    memory[:2] = remarkable(kind)
    end = len(memory) * size
    places = [0, end // width * width - width] if vector > 1 else [0, size, end - size]
    for at in dict.fromkeys(places):
        first = at // size
        if loads:
            yield {"memory": memory, "at": at, "in": [], "out": memory[first:first + vector], "after": None}
        else:
            values = drawn(vector, kind, entry["semantics"], vector, at)
            if at == 0:
                values[0] = remarkable(kind)[0]
            yield {"memory": memory, "at": at, "in": values, "out": [], "after": memory[:first] + values + memory[first + vector:]}
    values = [] if loads else drawn(vector, kind, "faulting")
    for at in sorted({1, size, width // 2} if vector > 1 else {1, size // 2}):
        if 0 < at < width and at % width:
            yield {"memory": memory, "at": at, "in": values, "fault": "misaligned"}
    yield {"memory": memory, "at": (end + width - 1) // width * width, "in": values, "fault": "out_of_range"}
    yield {"memory": memory, "at": -width, "in": values, "fault": "out_of_range"}
    if vector > 1:  # it begins inside
        yield {"memory": memory[:-1], "at": end - width, "in": values, "fault": "out_of_range"}


# ---- Atomics

def replaced(operation, kind, old, b, f):
    """What is there afterwards (PTX ISA, atom)."""
    if kind in PACKED:
        return joined(*(replaced(operation, PACKED[kind], x, y, 0) for x, y in zip(parted(old), parted(b))))
    if operation == "add":
        return model_float.CASES["fadd"](kind, [], old, b) if is_float(kind) else cut(old + b, kind)
    if operation == "sub":
        return cut(old - b, kind)
    if operation in ("min", "max"):
        pick = min if operation == "min" else max
        return cut(pick(exact.number(old, kind), exact.number(b, kind)), kind)
    if operation in ("fmin", "fmax"):
        return model_float.CASES[operation](kind, [], old, b)
    if operation == "inc":
        return 0 if old >= b else old + 1
    if operation == "dec":
        return b if old == 0 or old > b else old - 1
    if operation == "arrive":
        return arrived(old, b)
    if operation == "cas":
        return f if same(kind, old, b) else old
    return {"and": old & b, "or": old | b, "xor": old ^ b, "exch": b}[operation]


def arrived(word, by):
    """PTX ISA, mbarrier: fields of 20, 20, 22 and 2 bits; see atoms.arrive."""
    (pending, following, expected, phase), (arrives, leaves, more, _) = parts_of(word), parts_of(by)
    pending, following, expected = (pending - arrives) % 2**20, (following - leaves) % 2**20, (expected + more) % 2**22
    if pending == expected == 0:
        pending, phase = following, (phase + 1) % 4
    return pending | following << 20 | expected << 40 | phase << 62


def parts_of(word):
    return word & 0xfffff, word >> 20 & 0xfffff, word >> 40 & 0x3fffff, word >> 62


def same(kind, a, b):
    return a == b


def atomic_corners(operation, kind):
    """What is there, b, and f for cas."""
    if kind in PACKED:
        rows = atomic_corners(operation, PACKED[kind])
        return [tuple(map(joined, row, other)) for row, other in zip(rows, rows[1:] + rows[:1])]
    if is_float(kind):
        m = corners_float.Marks(kind)
        sums = [(m.least, m.least), (m.inf, m.minus(m.inf)), (m.minus(0), m.minus(0)), (m.greatest, m.greatest), (m.one + 1, m.half_ulp)]
        extremes = [(m.quiet, m.one), (m.one, m.signalling), (m.quiet, m.minus(m.signalling)), (m.minus(0), 0), (0, m.minus(0))]
        found = {"add": sums, "fmin": extremes, "fmax": extremes}.get(operation, [(m.signalling, m.one), (m.minus(0), 0)])
        swaps = [(m.signalling, m.signalling, m.one), (m.minus(0), 0, m.one), (0, 0, m.minus(m.signalling))]
    else:
        m = corners_integer.Marks(kind)
        counts = [(3, 5), (5, 5), (6, 5), (0, 5), (0, 0), (m.ones, m.ones), (m.ones, 0)]
        found = {"add": corners_integer.sums(m)[:4], "sub": corners_integer.differences(m)[:4], "min": corners_integer.orders(m)[:5],
                 "max": corners_integer.orders(m)[:5], "inc": counts, "dec": counts}.get(operation, corners_integer.bitwise(m)[:3])
        swaps = [(m.top, m.top, m.ones), (m.top, 0, m.ones), (m.ones, m.ones, 0)]
    if operation == "arrive":
        of = lambda pending, following, expected=0, phase=0: pending | following << 20 | (expected % 2**22) << 40 | phase << 62  # noqa: E731
        found = [(of(2, 2), of(1, 0)), (of(1, 2), of(1, 0)), (of(1, 3, 0, 3), of(1, 1)), (of(1, 1, 8), of(1, 0)), (of(0, 1, 8), of(0, 0, -8)),
                 (of(1, 1), of(0, 0, -16)), (of(2, 2, -16), of(2, 0, 16))]
    return swaps if operation == "cas" else [(*pair, 0) for pair in found]


def atomic_rows(operation, kind):
    rows = samples.tuples([kind, kind, kind], 3, "atomic", operation)
    if operation == "cas":
        rows = [(old, old if n % 2 else b, f) for n, (old, b, f) in enumerate(rows)]
    return atomic_corners(operation, kind) + rows


def atomic_vector(entry, kind, old, b, f, memory=(0,), place=0):
    operation = entry["semantics"].split("_")[1]
    before, after = list(memory), list(memory)
    before[place], after[place] = old, replaced(operation, kind, old, b, f)
    return {"memory": before, "at": place * WIDTH[kind] // 8, "in": [b, f] if operation == "cas" else [b],
            "out": [old] if "d" in entry["operands"] else [], "after": after}


def atomic_vectors(entry, kind):
    operation = entry["semantics"].split("_")[1]
    size = WIDTH[kind] // 8
    for n, row in enumerate(atomic_rows(operation, kind)):
        # the first three between neighbours, which stay as they are
        yield atomic_vector(entry, kind, *row, [7, 8, 9], n) if n < 3 else atomic_vector(entry, kind, *row)
    rng = samples.generator("atomic", operation, kind)
    values = [rng.getrandbits(WIDTH[kind]) for _ in range(2 if operation == "cas" else 1)]
    for at in sorted({1, size // 2}):
        yield {"memory": [0, 1], "at": at, "in": values, "fault": "misaligned"}
    for at in (2 * size, -size):
        yield {"memory": [0, 1], "at": at, "in": values, "fault": "out_of_range"}


# ---- Addresses; halves

def address_cases(entry):
    semantics = entry["semantics"]
    for space in WINDOWS:
        vectors = []
        for bits in dict.fromkeys((0, 16, WINDOWS[space], WINDOWS[space] - 1 & (1 << 64) - 1, WINDOWS[space] + 0xfff8,
                                   WINDOWS["local"] + WINDOW_BYTES, WINDOWS["shared"] + WINDOW_BYTES - 1, (1 << 64) - 1, 0x100000000)):
            inside = {other: low <= bits < low + WINDOW_BYTES for other, low in WINDOWS.items() if other != "global"}
            if semantics == "isspacep":
                out = [((not any(inside.values())) if space == "global" else inside[space], "pred")]
            else:
                out = [(cut(bits + WINDOWS[space] if semantics == "cvta" else bits - WINDOWS[space], "u64"), "u64")]
            vectors.append(([(bits, "u64")], out))
        yield name(entry, [space], "u64", None), 0, vectors


def half_cases(entry):
    packs = entry["semantics"] == "pack"
    parts = len(entry["operands"]) - 1
    for kind in entry["types"]:
        for source in entry["source_types"]:
            vectors = []
            for n in range(5):
                whole_kind, part_kind = (kind, source) if packs else (source, kind)
                whole = drawn(1, whole_kind, "halves", part_kind, n)[0]
                pieces = [(cut(whole >> i * WIDTH[part_kind], part_kind), part_kind) for i in range(parts)]
                vectors.append((pieces, [(whole, whole_kind)]) if packs else ([(whole, whole_kind)], pieces))
            yield name(entry, [], kind, source), 0, vectors
