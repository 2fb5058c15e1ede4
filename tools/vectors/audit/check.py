#!/usr/bin/python3
"""Usage: tools/vectors/audit/check.py [--isa FILE] [FOLDER]

A second opinion on the vectors in isa/tests: works each of them out again with a model that shares nothing with the
generator's (nor with hexec), written from PTX's text and the design alone, and prints those where the two differ.
"""
import argparse
import copy
import pathlib
import sys

import yaml

import conversions
import floats
import functions
import ieee
import integers
import packed
import places

ROOT = pathlib.Path(__file__).resolve().parents[3]
HALVES = {"u32": 32, "i32": 32, "f32": 32, "u16": 16, "i16": 16, "f16": 16, "bf16": 16}
WIDTHS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64, "f16": 16, "bf16": 16,
          "f32": 32, "f64": 64, "imm": 8, "f16x2": 32, "bf16x2": 32}


class Op:
    """An instruction's name taken apart by the entries of the instruction set."""

    def __init__(self, text, entries):
        parts = text.split(".")
        for count in range(len(parts), 0, -1):
            name, rest = ".".join(parts[:count]), parts[count:]
            for entry in entries.get(name, []):
                if self.fits(entry, rest):
                    self.entry = entry
                    return
        raise ValueError(f"no entry for {text}")

    def fits(self, entry, rest):
        kinds = [part for part in rest if part in WIDTHS]
        self.mods = [part for part in rest if part not in WIDTHS]
        wanted = ("types" in entry) + ("source_types" in entry)
        if len(kinds) != wanted or not set(self.mods) <= set(entry.get("modifiers", [])):
            return False
        self.kind = kinds[0] if kinds else None
        self.source = kinds[1] if len(kinds) > 1 else None
        return all(kind in entry[key] for kind, key in zip(kinds, ("types", "source_types")))


    def over(self, kind, source):
        """The same instruction over other types."""
        other = copy.copy(self)
        other.kind, other.source = kind, source
        return other


def bits_of(text, kind):
    text = text.strip().lower()
    if kind == "pred":
        return text == "true"
    if text.startswith("0x"):
        return int(text, 16)
    if kind in ieee.FORMATS:
        if text.lstrip("+-") in ("inf", "nan"):
            return ieee.pack(ieee.NAN if "nan" in text else ieee.infinity(text[0] == "-"), kind)
        number = ieee.finite(ieee.Fraction(text), text[0] == "-")
        return ieee.pack(ieee.round_number(number, kind), kind)
    return int(text) & ((1 << WIDTHS[kind]) - 1)


def operand_kinds(op, count):
    """Types of sources and results."""
    semantics, kind, source = op.entry["semantics"], op.kind, op.source
    wide = integers.wide(kind) if semantics in ("mulw", "madw") else None
    if semantics in conversions.PREDICATES:
        return ["pred"] * count, ["pred"]
    if semantics == "setp":
        return [source or kind] * 2 + ["pred"] * (count - 2), [kind] if source else ["pred", "pred"]
    special = {
        "cvt": ([source], [kind]), "sel": ([kind, kind, "pred"], [kind]), "pack": ([source] * count, [kind]),
        "unpack": ([source], [kind] * (WIDTHS.get(source, 0) // WIDTHS[kind])), "lop3": ([kind] * 3 + ["imm"], [kind]),
        "shl": ([kind, "u32"], [kind]), "shr": ([kind, "u32"], [kind]), "shf_l": ([kind, kind, "u32"], [kind]),
        "shf_r": ([kind, kind, "u32"], [kind]), "bfe": ([kind, "u32", "u32"], [kind]),
        "bfi": ([kind, kind, "u32", "u32"], [kind]), "bfind": ([kind], ["u32"]), "popc": ([kind], ["u32"]),
        "clz": ([kind], ["u32"]), "mulw": ([kind, kind], [wide]), "madw": ([kind, kind, wide], [wide]),
        "addc": ([kind, kind, "pred"], [kind, "pred"]), "subc": ([kind, kind, "pred"], [kind, "pred"]),
        "madc_lo": ([kind] * 3 + ["pred"], [kind, "pred"]), "madc_hi": ([kind] * 3 + ["pred"], [kind, "pred"]),
        "slct_i32": ([kind, kind, "i32"], [kind]), "slct_f32": ([kind, kind, "f32"], [kind]), "testp": ([kind], ["pred"]), "isspacep": ([kind], ["pred"]),
        "policy_fractional": (["f32"], [kind])}
    return special.get(semantics, ([kind] * count, [kind]))


def halves(op, values):
    if op.entry["semantics"] == "pack":
        width = HALVES[op.source]
        return [sum(value << width * at for at, value in enumerate(values))]
    width = HALVES[op.kind]
    return [values[0] >> width * at & ((1 << width) - 1) for at in range(WIDTHS[op.source] // width)]


def results(op, values):
    """A list of results."""
    if op.kind in packed.HALVES or op.source in packed.HALVES:
        return [packed.each_half(lambda kind, source, part: results(op.over(kind, source), part)[0], op.kind, op.source, values)]
    semantics, kind, mods = op.entry["semantics"], op.kind, op.mods
    if semantics in conversions.PREDICATES:
        found = conversions.PREDICATES[semantics](*values)
    elif semantics == "mov":
        found = values[0]
    elif semantics == "sel":
        found = values[0] if values[2] else values[1]
    elif semantics in ("slct_i32", "slct_f32"):
        found = values[0] if conversions.at_least_zero(op.source, mods, values[2]) else values[1]
    elif semantics in ("pack", "unpack"):
        found = halves(op, values)
    elif semantics == "cvt":
        found = conversions.convert(kind, op.source, mods, values[0])
    elif semantics == "setp":
        found = conversions.set_register(kind, op.source, mods, *values) if op.source else conversions.setp(kind, mods, *values)
    elif semantics in functions.FUNCTIONS:
        found = functions.correctly_rounded(semantics, kind, mods, *values)
    elif semantics == "policy_fractional":
        found = places.ORDINARY
    elif semantics in places.ADDRESSES:
        found = places.ADDRESSES[semantics](mods, values[0])
    else:
        found = {**integers.INSTRUCTIONS, **floats.INSTRUCTIONS}[semantics](kind, mods, *values)
    return found if isinstance(found, list) else [found]


def as_list(value):
    return value if isinstance(value, list) else [value]


def check_values(op, vector):
    """None, or what was expected and what it should be."""
    texts = vector.get("in", [])
    kinds, out_kinds = operand_kinds(op, len(texts))
    if len(kinds) != len(texts):
        return "how many sources", f"{len(kinds)}"
    values = [bits_of(text, kind) for text, kind in zip(texts, kinds)]
    outs = as_list(vector["out"])
    given = [bits_of(text, kind) for text, kind in zip(outs, out_kinds)]
    mine = results(op, values)
    if "pe?" in op.entry["operands"]:  # the second result may be left out
        mine = mine[:max(len(outs), 1)]
    return None if given == mine else (given, mine)


def check_file(path, document, entries):
    bad = []
    for case in document["cases"]:
        op = Op(case["op"], entries)
        for vector in case["vectors"]:
            if places.is_access(op.entry["semantics"]):
                difference = places.check(op, case, vector, bits_of)
            else:
                difference = check_values(op, vector)
            if difference:
                bad.append(f"{path.name}: {case['op']}: {vector}: given {shown(difference[0])}, is {shown(difference[1])}")
    return bad


def shown(values):
    return [hex(value) if type(value) is int else value for value in values] if isinstance(values, list) else values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=ROOT / "isa/tests")
    parser.add_argument("--isa", default=ROOT / "isa/hexec.yaml")
    options = parser.parse_args()
    entries, bad, count = {}, [], 0
    with open(options.isa, encoding="utf-8") as file:
        for entry in yaml.safe_load(file)["opcodes"]:
            entries.setdefault(entry["mnemonic"], []).append(entry)
    for path in sorted(pathlib.Path(options.folder).glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if "\nvectors:" not in text:
            continue  # a program
        document = yaml.load(text, Loader=yaml.CBaseLoader)
        count += sum(len(case["vectors"]) for case in document["cases"])
        bad += check_file(path, document, entries)
    print("\n".join(bad + [f"{count} vectors, {len(bad)} differ"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
