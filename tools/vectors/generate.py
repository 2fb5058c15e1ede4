#!/usr/bin/python3
"""Usage: tools/vectors/generate.py [--check] [--only MNEMONIC] [--isa FILE] [--out FOLDER]

Writes the test vectors of the instruction set, isa/tests/*.yaml: the entries of isa/hexec.yaml say which instructions
there are, and a model of their own in the files beside this one what each gives. --check writes nothing and fails when
a file is not what it would write. Needs python3-yaml and python3-gmpy2.
"""
import argparse
import pathlib
import sys

import yaml

import cases
import exact
import memory
import programs
import programs_matrix

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "# Made by tools/vectors/generate.py from a model of its own; do not edit.\n"
# vectors of one instruction
COUNTS = {"cvt": 3, "set": 5, "setp": 6, "mov": 6, "sel": 6}
COUNT = 8


def literal(bits, kind):
    if kind == "pred":
        return "true" if bits else "false"
    if kind == "imm":
        return f"0x{bits:02x}"
    if exact.is_float(kind) or kind in exact.PACKED:
        return f"0x{bits:0{exact.WIDTH[kind] // 4}x}"
    return str(exact.number(bits, kind))


def listed(values):
    return "[" + ", ".join(literal(*value) for value in values) + "]"


def one_or_list(values):
    return literal(*values[0]) if len(values) == 1 else listed(values)


def write_value_case(case):
    op, ulp, vectors = case
    lines = [f"  - op: {op}"]
    if ulp:
        lines.append(f"    ulp: {ulp}")
    lines.append("    vectors:")
    lines += [f"      - {{in: {listed(inputs)}, out: {one_or_list(outputs)}}}" for inputs, outputs in vectors]
    return lines


def write_memory_case(case):
    op, kind, vectors = case
    lines = [f"  - op: {op}", "    vectors:"]
    for vector in vectors:
        parts = [f"memory: {listed([(value, kind) for value in vector['memory']])}", f"at: {vector['at']}"]
        if vector["in"]:
            parts.append(f"in: {listed([(value, kind) for value in vector['in']])}")
        if "fault" in vector:
            parts.append(f"fault: {vector['fault']}")
        else:
            if vector["out"]:
                parts.append(f"out: {one_or_list([(value, kind) for value in vector['out']])}")
            if vector["after"] is not None:
                parts.append(f"after: {listed([(value, kind) for value in vector['after']])}")
        lines.append("      - {" + ", ".join(parts) + "}")
    return lines


def entry_cases(entry):
    """The lines of an entry's cases; None when it is not for vectors."""
    semantics = entry.get("semantics", "")
    if memory.is_access(semantics):
        return [line for case in memory.cases(entry) for line in write_memory_case(case)]
    if memory.is_address(semantics):
        return [line for case in memory.address_cases(entry) for line in write_value_case(case)]
    if semantics in ("pack", "unpack"):
        return [line for case in memory.half_cases(entry) for line in write_value_case(case)]
    if cases.known(semantics):
        count = COUNTS.get(semantics, COUNT)
        return [line for case in cases.value_cases(entry, count) for line in write_value_case(case)]
    return None


def make_files(isa):
    """File names and texts; and mnemonics that nothing here knows."""
    lines, unknown = {}, []
    for entry in isa["opcodes"]:
        found = entry_cases(entry)
        stem = entry["mnemonic"].split(".")[0]
        if found is not None:
            lines.setdefault(stem, []).extend(found)
        elif not programs.covers(entry):
            unknown.append(entry["mnemonic"])
    texts = {f"{stem}.yaml": f"{HEAD}vectors: {stem}\ncases:\n" + "\n".join(rows) + "\n" for stem, rows in lines.items()}
    for name, text in (*programs.make(isa), *programs_matrix.make(isa)):
        texts[name] = HEAD + text
    return texts, unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--isa", default=ROOT / "isa/hexec.yaml")
    parser.add_argument("--out", default=ROOT / "isa/tests")
    options = parser.parse_args()
    with open(options.isa, encoding="utf-8") as file:
        texts, unknown = make_files(yaml.safe_load(file))
    folder, stale = pathlib.Path(options.out), []
    for name, text in sorted(texts.items()):
        path = folder / name
        if options.only and path.stem != options.only:
            continue
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(str(path))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if unknown:
        print("no model of: " + ", ".join(unknown), file=sys.stderr)
    if stale:
        print("not what generate.py writes: " + ", ".join(stale), file=sys.stderr)
    return 1 if unknown or stale else 0


if __name__ == "__main__":
    sys.exit(main())
