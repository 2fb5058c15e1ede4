#!/usr/bin/python3
"""Usage: tools/vectors/hardware.py --write FOLDER [--arch sm_90] [--only MNEMONIC] [--nvcc FILE]

Writes FOLDER/hardware.cu, a CUDA program that runs the vectors of isa/tests on a GPU, each as the PTX instruction that
means the same, and compares bit for bit; and FOLDER/skipped.txt, what is not among them and why. Then:

    nvcc -arch=sm_90 -o hardware FOLDER/hardware.cu && ./hardware [results.json]

Which forms PTX has the assembler says: each is tried with ptxas, and what it refuses is left out. Needs python3-yaml and
a CUDA toolkit (12 or later), but no GPU.
"""
import argparse
import collections
import pathlib
import re
import string
import subprocess
import sys
import tempfile

import yaml

from exact import FORMATS, PACKED, WIDTH, cut, half_of, infinity, is_float
from model_integer import TWICE

ROOT = pathlib.Path(__file__).resolve().parents[2]

# ---- The table: hexec's mnemonic, class of types -> operands, PTX
#
# Classes: i integers, f floats and packed floats, * any or none. Operands are results:sources, each T (the instruction's
# type), S (its second one), W (twice as wide as T), u (u32), s (i32), p (predicate), i (a number in the text). Results are
# named d e g h in the text, sources a b c f as in docs/isa.md, an immediate {imm}. The fields:
#   {t} {s}   type and second type        {b}      the type's width alone, b32
#   {round}   .rn .rz .rm .rp             {rn}     the same, .rn when nothing is written
#   {to}      rounding of a conversion, where PTX wants one that hexec has by itself
#   {ftz} {sat} {nan}                     {other}  all other modifiers as they are written
# A modifier that has no field: PTX has no such form.
TABLE = {
    # Integers. hexec's i32 is s32; mulhi, mulw, madhi, madw are mul and mad with .hi and .wide
    ("add", "i"): ("T:TT", "add{sat}.{t} d, a, b;"),
    ("sub", "i"): ("T:TT", "sub{sat}.{t} d, a, b;"),
    ("mul", "i"): ("T:TT", "mul.lo.{t} d, a, b;"),
    ("mulhi", "i"): ("T:TT", "mul.hi.{t} d, a, b;"),
    ("mulw", "i"): ("W:TT", "mul.wide.{t} d, a, b;"),
    ("mad", "i"): ("T:TTT", "mad.lo.{t} d, a, b, c;"),
    ("madhi", "i"): ("T:TTT", "mad.hi.{t} d, a, b, c;"),
    ("madw", "i"): ("W:TTW", "mad.wide.{t} d, a, b, c;"),
    ("div", "i"): ("T:TT", "div.{t} d, a, b;"),
    ("rem", "i"): ("T:TT", "rem.{t} d, a, b;"),
    ("min", "i"): ("T:TT", "min.{t} d, a, b;"),
    ("max", "i"): ("T:TT", "max.{t} d, a, b;"),
    ("abs", "i"): ("T:T", "abs.{t} d, a;"),
    ("neg", "i"): ("T:T", "neg.{t} d, a;"),
    ("sad", "i"): ("T:TTT", "sad.{t} d, a, b, c;"),
    ("mul24", "i"): ("T:TT", "mul24{other}.{t} d, a, b;"),
    ("mad24", "i"): ("T:TTT", "mad24{other}.{t} d, a, b, c;"),
    ("dp4a", "i"): ("T:TTT", "dp4a.{t}.{t} d, a, b, c;"),
    ("dp2a", "i"): ("T:TTT", "dp2a{other}.{t}.{t} d, a, b, c;"),
    ("vabsdiff4", "i"): ("T:TTT", "vabsdiff4.{t}.{t}.{t}{other} d, a, b, c;"),
    # hexec has the carry in a predicate, PTX in a flag: it is made before, and read after
    ("addc", "i"): ("Tp:TTp", "{carry_c} addc.cc.{t} d, a, b; {carry_out}"),
    ("subc", "i"): ("Tp:TTp", "{borrow_c} subc.cc.{t} d, a, b; {borrow_out}"),
    ("madc", "i"): ("Tp:TTTp", "{carry_f} madc{other}.cc.{t} d, a, b, c; {carry_out}"),
    # Bits, mostly of types without sign in PTX
    ("and", "i"): ("T:TT", "and.{b} d, a, b;"),
    ("or", "i"): ("T:TT", "or.{b} d, a, b;"),
    ("xor", "i"): ("T:TT", "xor.{b} d, a, b;"),
    ("not", "i"): ("T:T", "not.{b} d, a;"),
    ("cnot", "i"): ("T:T", "cnot.{b} d, a;"),
    ("shl", "i"): ("T:Tu", "shl.{b} d, a, b;"),
    ("shr", "i"): ("T:Tu", "shr.{t} d, a, b;"),
    ("shf", "i"): ("T:TTu", "shf{other}.{b} d, a, b, c;"),
    ("bfe", "i"): ("T:Tuu", "bfe.{t} d, a, b, c;"),
    ("bfi", "i"): ("T:TTuu", "bfi.{b} d, a, b, c, f;"),
    ("bfind", "i"): ("u:T", "bfind{other}.{t} d, a;"),
    ("brev", "i"): ("T:T", "brev.{b} d, a;"),
    ("clz", "i"): ("u:T", "clz.{b} d, a;"),
    ("popc", "i"): ("u:T", "popc.{b} d, a;"),
    ("bmsk", "i"): ("T:TT", "bmsk{other}.{b} d, a, b;"),
    ("lop3", "i"): ("T:TTTi", "lop3.{b} d, a, b, c, {imm};"),
    ("prmt", "i"): ("T:TTT", "prmt.{b}{other} d, a, b, c;"),
    # Predicates
    ("pmov", "*"): ("p:p", "mov.pred d, a;"),
    ("pnot", "*"): ("p:p", "not.pred d, a;"),
    ("pand", "*"): ("p:pp", "and.pred d, a, b;"),
    ("por", "*"): ("p:pp", "or.pred d, a, b;"),
    ("pxor", "*"): ("p:pp", "xor.pred d, a, b;"),
    # Floats. hexec's mad rounds twice, PTX's once: a product and a sum (with .ftz that would flush the product, too)
    ("add", "f"): ("T:TT", "add{round}{ftz}{sat}.{t} d, a, b;"),
    ("sub", "f"): ("T:TT", "sub{round}{ftz}{sat}.{t} d, a, b;"),
    ("mul", "f"): ("T:TT", "mul{round}{ftz}{sat}.{t} d, a, b;"),
    ("fma", "f"): ("T:TTT", "fma{rn}{ftz}{sat}.{t} d, a, b, c;"),
    ("mad", "f"): ("T:TTT", "mul{rn}.{t} d, a, b; add{rn}{sat}.{t} d, d, c;"),
    ("div", "f"): ("T:TT", "div{rn}{ftz}.{t} d, a, b;"),
    ("rcp", "f"): ("T:T", "rcp{rn}{ftz}.{t} d, a;"),
    ("sqrt", "f"): ("T:T", "sqrt{rn}{ftz}.{t} d, a;"),
    ("min", "f"): ("T:TT", "min{ftz}{nan}.{t} d, a, b;"),
    ("max", "f"): ("T:TT", "max{ftz}{nan}.{t} d, a, b;"),
    ("abs", "f"): ("T:T", "abs{ftz}.{t} d, a;"),
    ("neg", "f"): ("T:T", "neg{ftz}.{t} d, a;"),
    ("copysign", "f"): ("T:TT", "copysign.{t} d, a, b;"),  # the sign of a in both
    ("testp", "f"): ("p:T", "testp{other}.{t} d, a;"),
    # Comparisons, choices, conversions, moves. sel is selp; halves are chosen and moved as b16
    ("setp", "*"): ("pp:TTp", "setp{other}{ftz}.{t} {both}, {compared};"),
    ("set", "*"): ("T:SS", "set{other}{ftz}.{t}.{s} d, a, b;"),
    ("sel", "*"): ("T:TTp", "selp.{b} d, a, b, c;"),
    ("slct", "*"): ("T:TTS", "slct{ftz}.{b}.{s} d, a, b, c;"),
    ("cvt", "*"): ("T:S", "cvt{to}{ftz}{sat}.{t}.{s} d, a;"),
    ("mov", "*"): ("T:T", "mov.{b} d, a;"),
    ("pack", "*"): ("T:SSSS", "mov.{b} d, {{{sources}}};"),
    ("unpack", "*"): ("TTTT:S", "mov.b{source_width} {{{results}}}, a;"),
}
# Whose float result is bits that were there before: a NaN among them must be the same, too
MOVES = {"sel", "slct", "copysign", "mov", "pack", "unpack"}
# What a carry is made of, and where it goes; c and f are words that are 0 or 1
CARRIES = {"carry_c": "add.cc.u32 t, c, -1;", "carry_f": "add.cc.u32 t, f, -1;", "carry_out": "addc.u32 e, 0, 0;",
           "borrow_c": "sub.cc.u32 t, 0, c;", "borrow_out": "subc.u32 e, 0, 0; and.b32 e, e, 1;"}
WITH_CARRY = {"addc", "subc", "madc"}
RESULTS, SOURCES = "degh", "abcf"
ROUNDING = {"rn", "rz", "rm", "rp"}
INTEGRAL = {"rni", "rzi", "rmi", "rpi"}
MODEL_ONLY = {"exp", "log", "log10", "tan", "erf", "sigmoid", "pow"}
APPROXIMATE = {"ex2", "lg2", "sin", "cos", "tanh", "rsqrt"}

Group = collections.namedtuple("Group", "name mnemonic results sources ptx rows")


class NoForm(Exception):
    """An instruction has no counterpart in PTX that can be compared."""


# ---- From an instruction to PTX

def parse(op):
    """'cvt.rzi.i32.f32' -> cvt, [rzi], [i32, f32]"""
    mnemonic, *rest = op.split(".")
    return mnemonic, [word for word in rest if word not in WIDTH], [word for word in rest if word in WIDTH]


def entry_of(mnemonic, types):
    if mnemonic in MODEL_ONLY:
        raise NoForm("no PTX instruction")
    if mnemonic in APPROXIMATE:
        raise NoForm("approximate in PTX")
    own = "*" if not types else "f" if is_float(half_of(types[0])) else "i"
    for key in ((mnemonic, own), (mnemonic, "*")):
        if key in TABLE:
            return TABLE[key]
    raise NoForm("PTX has none, or none that works on values alone")


def ptx_type(kind):
    return "s" + kind[1:] if kind[0] == "i" else kind


def conversion_rounding(mods, types):
    """PTX wants a rounding wherever one may happen; hexec has .rn, and to integers .rzi, by itself."""
    written = [mod for mod in mods if mod in ROUNDING | INTEGRAL]
    if written:
        return "." + written[0]
    to, source = types
    if is_float(to) and is_float(source):
        fits = all(own >= other for own, other in zip(FORMATS[to], FORMATS[source]))
        return "" if fits else ".rn"
    return ".rn" if is_float(to) else ".rzi" if is_float(source) else ""


def modifier_fields(mods, present):
    """Texts of the fields that hold modifiers. A modifier without a field has no place in the instruction."""
    home = {**{mod: "round" for mod in ROUNDING}, "ftz": "ftz", "sat": "sat", "nan": "nan"}
    if "rn" in present:
        home.update({mod: "rn" for mod in ROUNDING})
    if "to" in present:
        home.update({mod: "to" for mod in ROUNDING | INTEGRAL})
    texts = {"round": "", "rn": "", "ftz": "", "sat": "", "nan": "", "other": "", "to": ""}
    for mod in mods:
        field = home.get(mod)
        field = field if field in present else "other"
        if field not in present:
            raise NoForm("approximate in PTX" if mod == "approx" else f"PTX has no .{mod} here, or with another meaning")
        texts[field] += ".NaN" if field == "nan" else "." + mod
    texts["rn"] = texts["rn"] or ".rn"
    return texts


def operand_kinds(letters, types, count):
    """Types of operands: the first ones of what the table names, for some may be left out."""
    own, second = (types + [None, None])[:2]
    kinds = {"T": own, "S": second, "W": TWICE.get(own), "u": "u32", "s": "i32", "p": "pred", "i": "imm"}
    return [kinds[letter] for letter in letters][:count]


def counterpart(op, source_count, result_count, immediate=None):
    """Types of the results and sources of an instruction, and its PTX."""
    mnemonic, mods, types = parse(op)
    operands, template = entry_of(mnemonic, types)
    if mnemonic == "setp" and result_count > 1 and types[0] in ("f16", "bf16"):
        raise NoForm("a comparison of halves with two results")
    present = {field for _, field, _, _ in string.Formatter().parse(template) if field}
    result_letters, source_letters = operands.split(":")
    results, sources = operand_kinds(result_letters, types, result_count), operand_kinds(source_letters, types, source_count)
    fields = {**modifier_fields(mods, present), **CARRIES, "imm": immediate, "compared": ", ".join("abc"[:source_count]),
              "sources": ", ".join(SOURCES[:source_count]), "results": ", ".join(RESULTS[:result_count]),
              "both": "|".join(RESULTS[:result_count])}
    if types:
        fields.update(t=ptx_type(types[0]), b=f"b{WIDTH[types[0]]}")
    if len(types) > 1:
        fields.update(s=ptx_type(types[1]), source_width=WIDTH[types[1]])
    if mnemonic == "cvt":
        fields["to"] = conversion_rounding(mods, types)
    return results, sources, template.format(**fields)


# ---- From vectors to groups

def cases():
    """Names of the instructions that have vectors, and these."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted((ROOT / "isa/tests").glob("*.yaml")):
        with open(path, encoding="utf-8") as file:
            for document in yaml.load_all(file, loader):
                yield from document.get("cases", []) if document and "vectors" in document else []


def as_list(value):
    return value if isinstance(value, list) else [value]


def bits(value, kind):
    """The files hold floats as their bits, so all numbers are integers."""
    if isinstance(value, float):
        raise ValueError(f"a number of type {kind} that is not given by its bits: {value}")
    return int(value) if kind in ("pred", "imm") else cut(value, kind)


def open_in_ptx(mnemonic, kind, row):
    return mnemonic in ("div", "rem") and not is_float(half_of(kind)) and row[1] == 0


def groups_of(case):
    """The groups of a case: one, or one for each immediate."""
    op, vectors = case["op"], case["vectors"]
    if any("at" in vector or "memory" in vector for vector in vectors):
        raise NoForm("memory")
    mnemonic, _, types = parse(op)
    found = {}
    for vector in vectors:
        values, outs = as_list(vector["in"]), as_list(vector["out"])
        immediate = f"0x{values.pop():02x}" if mnemonic == "lop3" else None
        results, sources, ptx = counterpart(op, len(values), len(outs), immediate)
        row = [bits(*pair) for pair in zip(values, sources)] + [bits(*pair) for pair in zip(outs, results)]
        name = f"{op} {immediate}" if immediate else op
        group = found.setdefault(name, Group(name, mnemonic, results, sources, ptx, []))
        if not (types and open_in_ptx(mnemonic, types[0], row)):
            group.rows.append(row)
    return [group for group in found.values() if group.rows]


# ---- The function of a group: operands come and go as 64-bit words

def register(kind, mnemonic):
    """The register that an operand has; a carry is a word, for the flag is no register, and ptxas wants bytes in registers of their size."""
    if kind == "pred":
        return "b32" if mnemonic in WITH_CARRY else "pred"
    return f"b{WIDTH[kind]}"


def coming(name, word, reg):
    if reg == "pred":
        return f"setp.ne.u64 {name}, {word}, 0;"
    return f"mov.b64 {name}, {word};" if reg == "b64" else f"cvt.u{reg[1:]}.u64 {name}, {word};"


def going(word, name, reg):
    if reg == "pred":
        return f"selp.u64 {word}, 1, 0, {name};"
    return f"mov.b64 {word}, {name};" if reg == "b64" else f"cvt.u64.u{reg[1:]} {word}, {name};"


def block(group):
    """The PTX of a group with what brings its operands, in a scope of its own; words are %0, %1, ..."""
    outs = [(name, register(kind, group.mnemonic)) for name, kind in zip(RESULTS, group.results)]
    ins = [(name, register(kind, group.mnemonic)) for name, kind in zip(SOURCES, group.sources)]
    lines = [f".reg .{reg} {name};" for name, reg in outs + ins] + [".reg .b32 t;"]
    lines += [coming(name, f"%{len(outs) + n}", reg) for n, (name, reg) in enumerate(ins)]
    lines.append(group.ptx)
    lines += [going(f"%{n}", name, reg) for n, (name, reg) in enumerate(outs)]
    return "{ " + " ".join(lines) + " }"


def signature(group):
    return block(group), len(group.sources), len(group.results)


def function(name, text, source_count, result_count):
    results = ", ".join(f'"=l"(out[{n}])' for n in range(result_count))
    sources = ", ".join(f'"l"(in[{n}])' for n in range(source_count))
    return (f"__global__ void {name}(const word *in, word *out, int count)\n{{\n"
            f"    if (!place(in, {source_count}, out, {result_count}, count)) return;\n"
            f'    asm volatile("{text}" : {results} : {sources});\n}}\n')


# ---- What PTX has

def run(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}; --nvcc says where it is")


def header(nvcc, arch, folder):
    """.version, .target, .address_size as this compiler writes them."""
    source, output = folder / "empty.cu", folder / "empty.ptx"
    source.write_text("", encoding="utf-8")
    done = run([nvcc, f"-arch={arch}", "-ptx", "-o", str(output), str(source)])
    if done.returncode:
        sys.exit(f"{nvcc} failed: {done.stderr.strip()}")
    return [line for line in output.read_text(encoding="utf-8").splitlines() if line.startswith((".version", ".target", ".address"))]


def refused(blocks, nvcc, arch):
    """Which blocks the assembler takes for wrong, and what it says about them; asked again until it finds nothing."""
    wrong = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        top = header(nvcc, arch, folder) + [".visible .entry tried() { .reg .b64 w<9>;"]
        while True:
            rest = [text for text in blocks if text not in wrong]
            lines = top + [re.sub(r"%(\d)", r"w\1", text) for text in rest] + ["ret; }"]
            source = folder / "tried.ptx"
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            done = run([nvcc, f"-arch={arch}", "-cubin", "-o", str(folder / "tried.cubin"), str(source)])
            if done.returncode == 0:
                return wrong
            found = [(int(line), said) for line, said in re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", done.stderr)]
            found = [(line, said) for line, said in found if len(top) < line < len(lines)]
            if not found:
                sys.exit(f"{nvcc} failed: " + done.stderr[:1000])
            for line, said in found:
                wrong.setdefault(rest[line - len(top) - 1], "ptxas: " + said.strip())


def select(only, nvcc, arch):
    """All groups that a GPU can run, and why not the others."""
    groups, skipped = [], []
    for case in cases():
        if only and parse(case["op"])[0] != only:
            continue
        try:
            groups += groups_of(case)
        except NoForm as reason:
            skipped.append((case["op"], len(case["vectors"]), str(reason)))
    wrong = refused(list(dict.fromkeys(map(block, groups))), nvcc, arch)
    skipped += [(group.name, len(group.rows), wrong[block(group)]) for group in groups if block(group) in wrong]
    return [group for group in groups if block(group) not in wrong], skipped


# ---- The program

def result_row(kind, mnemonic):
    """Width of a result, of its parts, and the infinity beyond which a part is a NaN; 0 where all bits count."""
    if kind == "pred":
        return "{1, 1, 0}"
    half = half_of(kind)
    nan_counts = is_float(half) and mnemonic not in MOVES
    return f"{{{WIDTH[kind]}, {WIDTH[half]}, 0x{infinity(half) if nan_counts else 0:x}ull}}"


def write_program(groups, path):
    functions = {}
    for group in groups:
        functions.setdefault(signature(group), f"run_{len(functions)}")
    lines = [PROLOGUE]
    lines += [function(name, *key) for key, name in functions.items()]
    lines.append("static const word numbers[] = {")
    lines += [" ".join(f"0x{value:x}ull," for value in row) for group in groups for row in group.rows]
    lines += ["};", "static const Group groups[] = {"]
    first = 0
    for group in groups:
        results = ", ".join(result_row(kind, group.mnemonic) for kind in group.results)
        lines.append(f'    {{"{group.name}", "{group.ptx}", {functions[signature(group)]}, {first}, {len(group.rows)}, '
                     f"{len(group.sources)}, {len(group.results)}, {{{results}}}}},")
        first += len(group.rows) * (len(group.sources) + len(group.results))
    lines += ["};", EPILOGUE]
    path.write_text("\n".join(lines), encoding="utf-8")


PROLOGUE = r"""// Made by tools/vectors/hardware.py; do not edit.
// Usage: hardware [--pretend] [results.json]. --pretend runs nothing: it compares the expected results with themselves,
// one bit of each group's last vector changed, which tries the comparison where there is no GPU.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

typedef unsigned long long word;

struct Result { int width, part; word infinity; };
struct Group {
    const char *name, *ptx;
    void (*run)(const word *, word *, int);
    int first, count, sources, results;
    Result result[4];
};

static __device__ bool place(const word *&in, int sources, word *&out, int results, int count)
{
    int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    in += i * (sources + results);
    out += i * results;
    return i < count;
}
"""

EPILOGUE = r"""
enum { SHOWN = 5, THREADS = 64 };
enum Verdict { AGREES, OTHER_NAN, DISAGREES };
struct Tally { long vectors, agreeing, other_nan; };

static bool is_nan(word bits, const Result &r)
{
    return r.infinity && (bits & ((1ull << (r.part - 1)) - 1)) > r.infinity;
}

static Verdict compare(word expected, word got, const Result &r)
{
    Verdict verdict = AGREES;
    word mask = r.part == 64 ? ~0ull : (1ull << r.part) - 1;
    for (int at = 0; at < r.width; at += r.part) {
        word a = expected >> at & mask, b = got >> at & mask;
        if (a != b && !(is_nan(a, r) && is_nan(b, r))) return DISAGREES;
        if (a != b) verdict = OTHER_NAN;
    }
    return verdict;
}

static void list(FILE *file, const word *values, int count, const Result *results, const char *quote)
{
    for (int i = 0; i < count; i++) {
        word mask = !results || results[i].width == 64 ? ~0ull : (1ull << results[i].width) - 1;
        fprintf(file, "%s%s0x%llx%s", i ? ", " : "", quote, values[i] & mask, quote);
    }
}

static void show(const word *row, const word *got, const Group &g)
{
    printf("    in ");
    list(stdout, row, g.sources, nullptr, "");
    printf(": expected ");
    list(stdout, row + g.sources, g.results, g.result, "");
    printf(", got ");
    list(stdout, got, g.results, g.result, "");
    printf("\n");
}

static void record(FILE *json, const word *row, const word *got, const Group &g, Verdict verdict, bool first)
{
    fprintf(json, "%s\n      {\"nan\": %s, \"in\": [", first ? "" : ",", verdict == OTHER_NAN ? "true" : "false");
    list(json, row, g.sources, nullptr, "\"");
    fprintf(json, "], \"expected\": [");
    list(json, row + g.sources, g.results, g.result, "\"");
    fprintf(json, "], \"got\": [");
    list(json, got, g.results, g.result, "\"");
    fprintf(json, "]}");
}

static Verdict judge(const word *row, const word *got, const Group &g)
{
    Verdict worst = AGREES;
    for (int k = 0; k < g.results; k++) {
        Verdict verdict = compare(row[g.sources + k], got[k], g.result[k]);
        if (verdict > worst) worst = verdict;
    }
    return worst;
}

// Counts a group, prints it, and writes it to the JSON file.
static Tally report(const Group &g, const std::vector<word> &got, FILE *json, bool first)
{
    Tally tally = {g.count, 0, 0};
    std::vector<Verdict> verdicts;
    int width = g.sources + g.results;
    for (int i = 0; i < g.count; i++) {
        verdicts.push_back(judge(numbers + g.first + i * width, &got[i * g.results], g));
        tally.agreeing += verdicts.back() == AGREES;
        tally.other_nan += verdicts.back() == OTHER_NAN;
    }
    bool all = tally.agreeing + tally.other_nan == tally.vectors;
    printf("%s %s: %ld vectors, %ld agree", all ? "ok    " : "DIFFER", g.name, tally.vectors, tally.agreeing);
    if (tally.other_nan) printf(", %ld NaN, other bits", tally.other_nan);
    printf("%s%s\n", all ? "" : "   ", all ? "" : g.ptx);
    fprintf(json, "%s\n    {\"group\": \"%s\", \"ptx\": \"%s\", \"vectors\": %ld, \"agreeing\": %ld, \"other_nan\": %ld, \"examples\": [",
            first ? "" : ",", g.name, g.ptx, tally.vectors, tally.agreeing, tally.other_nan);
    int shown[3] = {0, 0, 0};
    for (int i = 0; i < g.count; i++) {
        const word *row = numbers + g.first + i * width;
        Verdict verdict = verdicts[i];
        if (verdict == AGREES || shown[verdict] == SHOWN) continue;
        record(json, row, &got[i * g.results], g, verdict, shown[OTHER_NAN] + shown[DISAGREES] == 0);
        if (verdict == DISAGREES) show(row, &got[i * g.results], g);
        shown[verdict]++;
    }
    fprintf(json, "]}");
    return tally;
}

static bool failed(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return false;
    printf("CUDA: %s: %s\n", what, cudaGetErrorString(error));
    return true;
}

static bool run(const Group &g, const word *in, word *out, std::vector<word> &got)
{
    g.run<<<(g.count + THREADS - 1) / THREADS, THREADS>>>(in + g.first, out, g.count);
    return !failed(cudaGetLastError(), g.name) &&
        !failed(cudaMemcpy(got.data(), out, got.size() * sizeof(word), cudaMemcpyDeviceToHost), g.name);
}

static void pretend(const Group &g, std::vector<word> &got)
{
    for (int i = 0; i < g.count; i++)
        memcpy(&got[i * g.results], numbers + g.first + i * (g.sources + g.results) + g.sources, g.results * sizeof(word));
    got.back() ^= 1;
}

int main(int argc, char **argv)
{
    bool pretends = argc > 1 && !strcmp(argv[1], "--pretend");
    const char *path = argc > 1 + pretends ? argv[1 + pretends] : "results.json";
    word *in = nullptr, *out = nullptr;
    cudaDeviceProp properties = {};
    if (!pretends && (failed(cudaGetDeviceProperties(&properties, 0), "no device") ||
                      failed(cudaMalloc(&in, sizeof numbers), "memory") || failed(cudaMalloc(&out, sizeof numbers), "memory") ||
                      failed(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice), "copy"))) {
        printf("nothing was tried\n");
        return 0;
    }
    FILE *json = fopen(path, "w");
    if (!json) {
        printf("cannot write %s\n", path);
        return 0;
    }
    fprintf(json, "{\"device\": \"%s\", \"groups\": [", properties.name);
    Tally total = {0, 0, 0};
    int tried = 0, differ = 0, count = int(sizeof groups / sizeof *groups);
    for (const Group &g : groups) {
        std::vector<word> got(size_t(g.count) * g.results);
        if (pretends) pretend(g, got);
        else if (!run(g, in, out, got)) break;
        Tally tally = report(g, got, json, tried++ == 0);
        total.vectors += tally.vectors;
        total.agreeing += tally.agreeing;
        total.other_nan += tally.other_nan;
        differ += tally.agreeing + tally.other_nan != tally.vectors;
    }
    long disagreeing = total.vectors - total.agreeing - total.other_nan;
    fprintf(json, "\n  ], \"vectors\": %ld, \"agreeing\": %ld, \"other_nan\": %ld, \"disagreeing\": %ld}\n", total.vectors,
            total.agreeing, total.other_nan, disagreeing);
    fclose(json);
    printf("%s: %d of %d groups tried, %d differ; %ld vectors, %ld agree, %ld NaN with other bits, %ld disagree\n",
           pretends ? "pretended" : properties.name, tried, count, differ, total.vectors, total.agreeing, total.other_nan, disagreeing);
    return 0;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("--write", metavar="FOLDER", required=True)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--only", metavar="MNEMONIC")
    parser.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    groups, skipped = select(options.only, options.nvcc, options.arch)
    folder = pathlib.Path(options.write)
    folder.mkdir(parents=True, exist_ok=True)
    write_program(groups, folder / "hardware.cu")
    lines = [f"{name}: {count} vectors: {reason}\n" for name, count, reason in skipped]
    (folder / "skipped.txt").write_text("".join(lines), encoding="utf-8")
    print(f"{len(groups)} groups with {sum(len(group.rows) for group in groups)} vectors; "
          f"{len(skipped)} with {sum(count for _, count, _ in skipped)} skipped")


if __name__ == "__main__":
    main()
