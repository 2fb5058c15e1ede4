"""Vectors of value instructions: which operands an entry has, which modifiers are tried, and what comes out."""
import corners
import exact
import model_float
import model_integer
import samples
from exact import PACKED, half_of, is_float, joined, parted
from model_integer import TWICE

ROUNDING = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"}
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"]
COMBINE = ["and", "or", "xor"]
FUNNEL = ["wrap", "clamp"]
NUMBER = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]
TABLES = [0x00, 0xff, 0x80, 0xfe, 0x96, 0xca, 0xe8, 0x3a]
# result and sources, where they differ from the instruction's type: T, u (u32), s (i32), f (f32), p (predicate), W (twice the width)
SHAPES = {"shl": "T:Tu", "shr": "T:Tu", "shf_l": "T:TTu", "shf_r": "T:TTu", "bfe": "T:Tuu", "bfi": "T:TTuu", "bfind": "u:T", "popc": "u:T",
          "clz": "u:T", "mulw": "W:TT", "madw": "W:TTW", "addc": "Tp:TTp", "subc": "Tp:TTp", "madc_lo": "Tp:TTTp", "madc_hi": "Tp:TTTp", "testp": "p:T", "lop3": "T:TTTi", "prmt": "T:TTT",
          "dp4a": "T:TTT", "sel": "T:TTp", "slct_i32": "T:TTs", "slct_f32": "T:TTf", "isspacep": "p:T",
          "policy_fractional": "T:f"}
# types over which comparisons are tried with their second result, too
BOTH_RESULTS = ("i8", "u32", "i64", "f16", "bf16", "f32", "f64")
# vectors beside the corners, at least
DRAWN = {"cvt": 1, "set": 1}
# how far from the corners of amounts and positions it is worth going
AMOUNTS = [0, 1, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 257, 0xffffffff]


def operand_types(letters, kind):
    return [{"T": kind, "u": "u32", "p": "pred", "W": TWICE.get(kind), "i": "imm", "s": "i32", "f": "f32"}[letter] for letter in letters]


def sources(semantics, kind, count):
    """Types of the sources; without a shape of its own all of the instruction's type."""
    if semantics in SHAPES:
        return operand_types(SHAPES[semantics].split(":")[1], kind)
    return [kind] * count


def results(semantics, kind):
    return operand_types(SHAPES[semantics].split(":")[0], kind) if semantics in SHAPES else [kind]


def draw_operands(kinds, count, *names):
    """Operands of those types; small amounts for u32 beside others, predicates both ways, a few truth tables."""
    rng = samples.generator("operands", *names)
    plain = [kind for kind in kinds if kind not in ("pred", "imm")]
    own = plain[0] if plain else None
    has_amounts = own is not None and any(kind == "u32" for kind in kinds[1:]) and names[0] not in ("prmt",)
    rows = []
    for n, values in enumerate(samples.tuples([kind for kind in kinds if kind not in ("pred", "imm")] or ["u32"], count, *names)):
        values, row = list(values), []
        for position, kind in enumerate(kinds):
            if kind == "pred":
                row.append((n + position) & 1)
            elif kind == "imm":
                row.append(TABLES[n % len(TABLES)])
            else:
                value = values.pop(0)
                amounts = has_amounts and position > 0 and names[0] in ("shl", "shr", "shf_l", "shf_r", "bfe", "bfi") and \
                    position >= (2 if names[0] in ("shf_l", "shf_r", "bfi") else 1)
                row.append(AMOUNTS[rng.randrange(len(AMOUNTS))] if amounts and n % 5 else value)
        rows.append(row)
    return rows


def meaning(entry):
    """A comparison into a register has the same semantics as one into a predicate."""
    return "set" if entry["semantics"] == "setp" and "source_types" in entry else entry["semantics"]


# ---- Which modifiers

def plans(entry, kind, source):
    """The sets of modifiers that an entry is tried with over a type: each alone, and some together."""
    mods = entry.get("modifiers", [])
    semantics = meaning(entry)
    kind, source = half_of(kind), half_of(source)
    if semantics == "setp" or semantics == "set":
        given = source if semantics == "set" else kind
        for condition in usable_conditions(mods, given):
            yield [condition]
        if "ftz" in mods and is_float(given):
            yield ["lt", "ftz"]
            yield ["eq", "ftz"]
        for combine in COMBINE:
            if combine in mods:
                yield ["lt", combine]
                yield ["ne", combine]
        return
    needs = next((group for group in (FUNNEL, NUMBER, ["global", "shared", "local", "const"]) if set(group) <= set(mods)), None)
    if needs:
        for mod in needs:
            yield [mod]
        return
    yield []
    usable = [mod for mod in mods if usable_modifier(entry, kind, source, mod)]
    for mod in usable:
        yield [mod]
    for pair in (["rz", "ftz"], ["rm", "sat"], ["rp", "ftz"], ["sat", "ftz"], ["rn", "sat"], ["ftz", "approx"], ["nan", "ftz"]):
        if set(pair) <= set(usable):
            yield pair


def usable_conditions(mods, kind):
    for condition in COMPARE:
        if condition not in mods:
            continue
        only_floats = condition in ("equ", "neu", "num", "nan")
        only_integers = condition in ("lo", "ls", "hi", "hs")
        if (only_floats and not is_float(kind)) or (only_integers and is_float(kind)):
            continue
        yield condition


def usable_modifier(entry, kind, source, mod):
    """What the assembler takes; of cvt that is more than PTX allows: ftz where nothing is f32, rni and such to another float."""
    if entry["semantics"] != "cvt":
        return is_float(kind) or is_float(source) or mod not in ("ftz", "approx", "rn", "rz", "rm", "rp")
    if mod in ("rn", "rz", "rm", "rp"):
        return is_float(kind)
    if mod in ROUNDING:
        return is_float(source)
    return True


# ---- What comes out

def evaluate(semantics, kind, source, mods, values):
    if kind in PACKED or source in PACKED:
        result = PACKED.get(kind, "u16")  # of integers that a comparison gives each half is all ones or 0
        halves = [evaluate(semantics, result, half_of(source), mods, half) for half in zip(*map(parted, values))]
        return joined(*halves)
    if semantics == "mov":
        return values[0]
    if semantics == "policy_fractional":
        return 1 << 60
    if semantics == "sel":
        return values[0] if values[2] else values[1]
    if semantics == "cvt":
        return model_float.convert(kind, source, mods, values[0])
    if semantics in ("setp", "set"):
        given = source if semantics == "set" else kind
        truth = model_float.compare(given, mods[0], values[0], values[1], "ftz" in mods)
        if semantics == "set":
            return (exact.encode(exact.Value(1), kind) if is_float(kind) else (1 << exact.WIDTH[kind]) - 1) if truth else 0
        return model_float.combined(mods, truth, bool(values[2])) if len(values) > 2 else truth
    if semantics in ("pmov", "pnot"):
        return bool(values[0]) != (semantics == "pnot")
    if semantics in ("pand", "por", "pxor"):
        a, b = bool(values[0]), bool(values[1])
        return {"pand": a and b, "por": a or b, "pxor": a != b}[semantics]
    model = model_integer.CASES.get(semantics) or model_float.CASES.get(semantics)
    return model(kind, mods, *values)


def both_results(kind, mods, vector):
    """A comparison's vector with its second result beside the first: the opposite, combined as that one is."""
    (a, b, *more), (first,) = vector
    opposite = not model_float.compare(kind, mods[0], a[0], b[0], "ftz" in mods)
    second = model_float.combined(mods, opposite, bool(more[0][0])) if more else opposite
    return vector[0], [first, (second, "pred")]


def known(semantics):
    return semantics in ("mov", "policy_fractional", "sel", "cvt", "setp", "set", "pmov", "pnot", "pand", "por", "pxor") or \
        semantics in model_integer.CASES or semantics in model_float.CASES


def tolerance(semantics, kind, vectors):
    if semantics not in model_float.FUNCTIONS:
        return 0
    if semantics in ("frsqrt", "sigmoid", "pow") and kind == "f64":
        return 2 if semantics == "frsqrt" else 3
    return 1


def is_certain(semantics, kind, mods, vector):
    """Of a function that may be some ulp off: has it one result here? Of infinities, NaNs and zeros, of 1 for logarithms,
    and 2 to an integral power; and where the result is a NaN, which is the canonical one."""
    (inputs, ((out, _),)) = vector
    if kind in PACKED:
        parts = zip(*(parted(bits) for bits, _ in [*inputs, (out, kind)]))
        return all(is_certain(semantics, half_of(kind), mods, ([(bits, kind) for bits in part[:-1]], [(part[-1], kind)])) for part in parts)
    values = [exact.decode(exact.flush(bits, kind) if "ftz" in mods else bits, kind) for bits, _ in inputs]
    if any(value.nan or value.infinite or value.zero for value in values) or exact.decode(out, kind).nan:
        return True
    if semantics in ("lg2", "log", "log10"):
        return values[0].signed == 1
    return semantics == "ex2" and values[0].magnitude.denominator == 1


def name(entry, mods, kind, source):
    return ".".join([entry["mnemonic"], *mods, *([kind] if kind else []), *([source] if source else [])])


def value_cases(entry, count):
    """Yields (op, ulp, vectors) of an entry; a vector is (inputs with types, outputs with types)."""
    semantics = meaning(entry)
    forms = [form.rstrip("?") for form in entry["operands"]]
    source_count = sum(1 for form in forms if form[0] not in "d" and form not in ("pd", "pe", "e"))
    for kind in entry.get("types", [None]):
        for source in entry.get("source_types", [None]):
            for mods in plans(entry, kind, source):
                op, ulp, vectors = one_case(entry, semantics, kind, source, mods, source_count, count)
                certain = [vector for vector in vectors if ulp and is_certain(semantics, kind, mods, vector)]
                if certain:
                    yield op, 0, certain
                yield op, ulp, [vector for vector in vectors if vector not in certain]
                if "pe?" in entry["operands"] and semantics == "setp" and kind in BOTH_RESULTS:
                    yield op, ulp, [both_results(kind, mods, vector) for vector in vectors]


def operand_rows(semantics, kind, source, mods, kinds, count):
    """The corners, then drawn ones: of what is drawn the last third, for samples begin with corners too."""
    if kind in PACKED or source in PACKED:  # each row of the half's type in the low halves, and in the high ones beside another
        rows = operand_rows(semantics, half_of(kind), half_of(source), mods, [half_of(operand) for operand in kinds], count)
        return [tuple(map(joined, row, other)) for row, other in zip(rows, rows[1:] + rows[:1])]
    names = (semantics, kind, source, *mods)
    always = [tuple(row) for row in corners.rows(semantics, kind, source, mods, kinds)]
    if mods in (["rn"], ["approx"]):  # nothing but the base says
        always = always[::3]
    more = max(count - len(always), DRAWN.get(semantics, 2))
    drawn = [tuple(row) for row in draw_operands(kinds, 3 * more if always else more, *names)]
    return list(dict.fromkeys(always + drawn[-more:]))


def one_case(entry, semantics, kind, source, mods, source_count, count):
    if semantics in ("pmov", "pnot", "pand", "por", "pxor"):
        kinds, outs = ["pred"] * source_count, ["pred"]
    elif semantics in ("setp", "set"):
        combines = any(mod in COMBINE for mod in mods)
        kinds, outs = [source or kind] * 2 + ["pred"] * combines, ["pred" if semantics == "setp" else kind]
    elif semantics == "cvt":
        kinds, outs = [source], [kind]
    else:
        kinds, outs = sources(semantics, kind, source_count), results(semantics, kind)
    if kinds and all(entry_kind == "pred" for entry_kind in kinds):
        rows = [[n >> i & 1 for i in range(len(kinds))] for n in range(1 << len(kinds))]
    else:
        rows = operand_rows(semantics, kind, source, mods, kinds, count)
    vectors = []
    for row in rows:
        out = evaluate(semantics, kind, source, mods, row)
        vectors.append((list(zip(row, kinds)), list(zip(out if isinstance(out, list) else [out], outs))))
    return name(entry, mods, kind, source), tolerance(semantics, kind, vectors), vectors
