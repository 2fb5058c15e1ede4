#!/usr/bin/env python3
"""Functions of OpenCL C that hexec's device library has: run.py HEXEC. Each kernel calls many; models are in Python."""
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import halves

HEXEC = pathlib.Path(sys.argv[1]).resolve()
CODES = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q", "half": "e", "float": "f",
         "double": "d"}
WIDTHS = 2, 3, 4, 8, 16
failures = []


def launch(folder, text, blocks, block, inputs, outputs, options="-cl-std=CL3.0"):
    """Runs kernel `k` with `inputs` (type, values) and empty `outputs` (type, count); the outputs' values, or None."""
    (folder / "k.cl").write_text("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + text, encoding="utf-8")
    words = [str(HEXEC), str(folder / "k.cl"), "--kernel", "k", "--options", options, "--grid", str(blocks), "--block", str(block), "--quiet"]
    for i, (kind, values) in enumerate(inputs):
        data = struct.pack(f"<{len(values)}{CODES[kind]}", *values)
        head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data)},), }}".encode()
        head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
        (folder / f"{i}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)
        words += ["--arg", f"@{folder / f'{i}.npy'}"]
    for i, (kind, count) in enumerate(outputs, len(inputs)):
        words += ["--arg", f"u8:{count * struct.calcsize(CODES[kind])}", "--out", f"{i}={folder / f'{i}.bin'}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        failures.append(f"exit {done.returncode} of\n{text[:300]}\n{done.stdout}{done.stderr}"[:2000])
        return None
    return [struct.unpack(f"<{count}{CODES[kind]}", (folder / f"{i}.bin").read_bytes()) for i, (kind, count) in enumerate(outputs, len(inputs))]


def expect(name, found, wanted):
    wrong = [i for i, (a, b) in enumerate(zip(found, wanted)) if b is not None and a != b]
    if wrong:
        i = wrong[0]
        failures.append(f"{name}: {len(wrong)} of {len(found)} are wrong; number {i} is {found[i]!r}, not {wanted[i]!r}")


# --- groups ---------------------------------------------------------------------------------------------------

BLOCK, BLOCKS = 80, 2 # the last sub-group has 16 work-items
SUMS = {"add": (lambda a, b: a + b, lambda kind: 0), "min": (min, lambda kind: math.inf if kind in "float double half" else halves.RANGES[kind][1]),
        "max": (max, lambda kind: -math.inf if kind in "float double half" else halves.RANGES[kind][0]), "mul": (lambda a, b: a * b, lambda kind: 1),
        "and": (lambda a, b: a & b, lambda kind: -1 if kind[0] != "u" else halves.RANGES[kind][1]), "or": (lambda a, b: a | b, lambda kind: 0),
        "xor": (lambda a, b: a ^ b, lambda kind: 0)}


def wrapped(kind, value):
    """As the type keeps it"""
    if kind not in halves.RANGES:
        return halves.half(value) if kind == "half" else value
    low, high = halves.RANGES[kind]
    return (value - low) % (high - low + 1) + low


def scans(values, members, name, kind):
    """For each member: the sum of all, of those up to it, and of those before it"""
    combine, none = SUMS[name][0], SUMS[name][1](kind)
    total, found = none, {}
    for member in members:
        before, total = total, combine(total, values[member])
        found[member] = before, total
    return {member: (total, found[member][1], found[member][0]) for member in members}


def parts_of(size, choose=lambda i: 0):
    """The work-items of all blocks, in parts of `size`, and those of a part that `choose` gives the same"""
    parts = {}
    for i in range(BLOCK * BLOCKS):
        parts.setdefault((i // BLOCK, i % BLOCK // size, choose(i % BLOCK)), []).append(i)
    return parts.values()


def check_groups(folder, kind, draw):
    """All reductions and scans of a type, of work-groups, sub-groups, and what is left of sub-groups in a branch"""
    rows = []
    of_all = "add min max".split()
    of_bits = "and or xor".split() if kind in halves.RANGES else []
    if kind in "int uint long ulong float double half".split():
        rows += [("work_group", name, BLOCK, False) for name in of_all]
    rows += [("sub_group", name, 32, False) for name in of_all]
    rows += [("sub_group_non_uniform", name, 32, True) for name in of_all + ["mul"] + of_bits]
    lines, count = [], BLOCK * BLOCKS
    forms = "reduce", "scan_inclusive", "scan_exclusive"
    for i, (prefix, name, _, is_split) in enumerate(rows):
        for j, form in enumerate(forms):
            call = f"o[{(3 * i + j) * count} + g] = {prefix}_{form}_{name}(v);"
            lines.append(f"if (l % 3 == 0) {call}" if is_split else call)
    base = 3 * len(rows) * count
    lines.append(f"o[{base} + g] = sub_group_clustered_reduce_max(v, 4); o[{base + count} + g] = sub_group_broadcast(v, 5u);")
    lines.append(f"o[{base + 2 * count} + g] = sub_group_shuffle_xor(v, 1u); o[{base + 3 * count} + g] = sub_group_shuffle(v, l & 3);")
    text = f"kernel void k(global const {kind} *in, global {kind} *o) {{ uint g = get_global_id(0), l = get_local_id(0); {kind} v = in[g];\n" \
        + "\n".join(lines) + "\n}\n"
    values = [draw.choice((1, 1, 1, 2)) for _ in range(count)]
    found = launch(folder, text, BLOCKS, BLOCK, [(kind, values)], [(kind, base + 4 * count)])
    if not found:
        return
    for i, (prefix, name, size, is_split) in enumerate(rows):
        sums = {}
        for part in parts_of(size, (lambda l: l % 3 == 0) if is_split else (lambda l: 0)):
            sums.update(scans(values, part, name, kind))
        for j, form in enumerate(forms):
            at = (3 * i + j) * count
            wanted = [None if is_split and g % BLOCK % 3 else wrapped(kind, sums[g][j]) for g in range(count)]
            expect(f"{prefix}_{form}_{name}({kind})", found[0][at:at + count], wanted)
    lane = [g % BLOCK % 32 for g in range(count)]
    expect(f"sub_group_clustered_reduce_max({kind})", found[0][base:base + count], [max(values[g - lane[g] % 4:g - lane[g] % 4 + 4]) for g in range(count)])
    for name, model in (("broadcast", lambda g: 5), ("shuffle_xor", lambda g: lane[g] ^ 1), ("shuffle", lambda g: lane[g] & 3)):
        base += count
        expect(f"sub_group_{name}({kind})", found[0][base:base + count], [values[g - lane[g] + model(g)] for g in range(count)])


def check_sub_groups(folder):
    """What sub-groups are, ballots, and broadcasts in work-groups"""
    size = [32 if g % BLOCK < 64 else 16 for g in range(BLOCK * BLOCKS)]
    lane = [g % BLOCK % 32 for g in range(BLOCK * BLOCKS)]
    odd = [0xaaaaaaaa & ((1 << n) - 1) for n in size]
    rows = [("get_sub_group_size()", lambda g: size[g]), ("get_max_sub_group_size()", lambda g: 32), ("get_num_sub_groups()", lambda g: 3),
            ("get_enqueued_num_sub_groups()", lambda g: 3), ("get_sub_group_id()", lambda g: g % BLOCK // 32), ("get_sub_group_local_id()", lambda g: lane[g]),
            ("sub_group_all(l < 64)", lambda g: g % BLOCK < 64), ("sub_group_any(l == 70)", lambda g: g % BLOCK >= 64),
            ("sub_group_elect()", lambda g: lane[g] == 0), ("sub_group_ballot(l & 1).x", lambda g: odd[g]),
            ("sub_group_inverse_ballot((uint4)(0xff, 0, 0, 0))", lambda g: lane[g] < 8), ("sub_group_ballot_bit_extract((uint4)(6, 0, 0, 0), 2u)", lambda g: 1),
            ("sub_group_ballot_bit_count(sub_group_ballot(l & 1))", lambda g: size[g] // 2),
            ("sub_group_ballot_inclusive_scan(sub_group_ballot(l & 1))", lambda g: (lane[g] + 1) // 2),
            ("sub_group_ballot_exclusive_scan(sub_group_ballot(l & 1))", lambda g: lane[g] // 2),
            ("sub_group_ballot_find_lsb(sub_group_ballot(l & 1))", lambda g: 1), ("sub_group_ballot_find_msb(sub_group_ballot(l & 1))", lambda g: size[g] - 1),
            ("sub_group_ballot_bit_count((uint4)(0x80f00001, 7, 7, 7))", lambda g: 6), ("sub_group_ballot_find_msb((uint4)(0x80f00001, 7, 7, 7))", lambda g: 31),
            ("sub_group_ballot_find_lsb((uint4)(0x80f00000, 7, 7, 7))", lambda g: 20),
            ("get_sub_group_eq_mask().x", lambda g: 1 << lane[g]), ("get_sub_group_lt_mask().x", lambda g: (1 << lane[g]) - 1),
            ("get_sub_group_le_mask().x", lambda g: (2 << lane[g]) - 1), ("get_sub_group_ge_mask().x", lambda g: (1 << size[g]) - (1 << lane[g])),
            ("get_sub_group_gt_mask().x", lambda g: (1 << size[g]) - (2 << lane[g])),
            ("sub_group_non_uniform_reduce_logical_xor((int)(l == 3))", lambda g: g % BLOCK < 32), ("work_group_broadcast(l, 77)", lambda g: 77),
            ("sub_group_non_uniform_all_equal(l / 32)", lambda g: 1), ("work_group_all(l < 80)", lambda g: 1), ("work_group_any(l == 80)", lambda g: 0),
            ("sub_group_broadcast((uint4)(l, 1, 2, 3), 2u).x", lambda g: g % BLOCK - lane[g] + 2), ("get_global_linear_id()", lambda g: g),
            ("get_local_linear_id()", lambda g: g % BLOCK), ("get_work_dim()", lambda g: 1)]
    # alike in both branches, where compilers could make one call of them
    halves_of = lambda g: g % BLOCK - lane[g] + (0 if lane[g] < 16 else 16)
    for call, model in (("sub_group_broadcast_first(l)", halves_of), ("sub_group_elect()", lambda g: lane[g] in (0, 16)),
                        ("sub_group_non_uniform_reduce_min(l)", halves_of), ("sub_group_ballot(1).x", lambda g: 0xffff << (lane[g] & 16)),
                        ("sub_group_shuffle(l, lane & 16)", halves_of)):
        rows.append((f"({{ uint r; if (lane < 16) r = {call}; else r = {call}; r; }})", model))
    count = BLOCK * BLOCKS
    text = "kernel void k(global uint *o) { uint g = get_global_id(0), l = get_local_id(0), lane = get_sub_group_local_id();\n" \
        + "\n".join(f"o[{i * count} + g] = {call};" for i, (call, _) in enumerate(rows)) + "\n}\n"
    found = launch(folder, text, BLOCKS, BLOCK, [], [("uint", count * len(rows))])
    for i, (call, model) in enumerate(rows if found else []):
        expect(call, found[0][i * count:(i + 1) * count], [int(model(g)) for g in range(count)])


# --- atomic functions -----------------------------------------------------------------------------------------

LOCAL = """#define L(T, name) local T *name##_at = (local T *)words
#define a (*a_at)
#define f (*f_at)
#define n (*n_at)
#define x (*x_at)
kernel void k(global long *o) { uint l = get_local_id(0); local ulong words[2];
"""


def check_atomics(folder):
    """80 work-items change one object each; 64 bits so that a carry is seen."""
    text, wanted = "", []
    for kind in "int uint long ulong".split():
        big = 2 ** 33 if "long" in kind else 0
        for name, start, result in (("add", big, big + 3160), ("sub", big + 3160, big), ("or", big, big + 127), ("xor", big, big + 0), ("and", big + 127, 0),
                                    ("min", big + 70, 0), ("max", 5, 79)):
            text += f"{{ L(atomic_{kind}, a); if (!l) atomic_init(&a, ({kind}){start}); barrier(1); atomic_fetch_{name}_explicit(&a, ({kind})l, " \
                    f"memory_order_relaxed, memory_scope_work_group); barrier(1); if (!l) o[{len(wanted)}] = atomic_load(&a); barrier(1); }}\n"
            wanted.append(result)
        text += f"{{ global atomic_{kind} *b = (global atomic_{kind} *)(o + 100); {kind} old = atomic_exchange(b, ({kind})9), none = 5;\n" \
                f"atomic_store(b, ({kind})7); bool is = atomic_compare_exchange_strong(b, &none, ({kind})8); if (!l) o[{len(wanted)}] = none * 2 + is; barrier(1); }}\n"
        wanted.append(None) # work-items may meet here
    for kind in "float double".split():
        text += f"{{ L(atomic_{kind}, a); if (!l) atomic_init(&a, ({kind})0.5); barrier(1); {kind} seen = atomic_load(&a);\n" \
                f"while (!atomic_compare_exchange_weak(&a, &seen, seen + 1)) ; barrier(1); if (!l) o[{len(wanted)}] = 2 * atomic_exchange(&a, ({kind})0); barrier(1); }}\n"
        wanted.append(161)
    text += f"{{ L(atomic_flag, f); local int *n_at = (local int *)words + 1; if (!l) {{ atomic_flag_clear(&f); n = 0; }} barrier(1); if (!atomic_flag_test_and_set(&f)) atomic_inc(&n);\n" \
            f"barrier(1); if (!l) o[{len(wanted)}] = n; barrier(1); }}\n"
    wanted.append(1)
    for space, fence in ("global", 2), ("local", 1): # local memory's first address is 0, as NULL is
        text += f"{{ L(long, x); global long *y = o + 101; long *p = (long *){'(&x + 1)' if space == 'local' else 'y'}; if (!l) o[{len(wanted)}] = get_fence(p) * 2 " \
                f"+ (to_{space}(p) != 0) + (to_{'local' if space == 'global' else 'global'}(p) != 0); barrier(1); }}\n"
        wanted.append(fence * 2 + 1)
    found = launch(folder, LOCAL + text + "}\n", 1, 80, [], [("long", 128)])
    if found:
        expect("atomic functions of OpenCL C 3.0", found[0], wanted)
    text, wanted = "", []
    for space in "global", "local":
        for name, start, result in (("add", 2 ** 40, 2 ** 40 + 3160), ("sub", 2 ** 40, 2 ** 40 - 3160), ("min", 2 ** 40, 0), ("max", -2 ** 40, 79),
                                    ("or", 2 ** 40, 2 ** 40 + 127), ("xor", 2 ** 40, 2 ** 40), ("and", 2 ** 40 + 127, 0)):
            at = "&a" if space == "local" else "o + 100"
            text += f"{{ L(long, a); volatile {space} long *p = {at}; if (!l) *p = {start}; barrier(3); atom_{name}(p, (long)l); barrier(3); " \
                    f"if (!l) o[{len(wanted)}] = *p; barrier(3); }}\n"
            wanted.append(result)
        text += f"{{ L(long, a); volatile {space} long *p = {at}; if (!l) *p = {2 ** 32 - 1}; barrier(3); atom_inc(p); barrier(3); if (!l) {{ atom_dec(p); " \
                f"long was = atom_cmpxchg(p, {2 ** 32 + 78}L, 5L); o[{len(wanted)}] = was + atom_xchg(p, 0L); }} barrier(3); }}\n"
        wanted.append(2 ** 32 + 78 + 5)
    found = launch(folder, LOCAL + text + "}\n", 1, 80, [], [("long", 128)], "-cl-std=CL1.2")
    if found:
        expect("atomic functions of 64 bits", found[0], wanted)


# --- halves ---------------------------------------------------------------------------------------------------

COUNT = 96
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 65504.0, -65504.0, 2.0 ** -14, 2.0 ** -24, -2.0 ** -24, 3.5, 2.5, -2.5, 0.333251953125, 10.0]


def half_inputs(draw):
    def some():
        return SPECIAL + [halves.half(draw.uniform(-1, 1) * 2.0 ** draw.randint(-8, 8)) for _ in range(COUNT - len(SPECIAL))]
    mixed = some()
    draw.shuffle(mixed)
    more = some()
    draw.shuffle(more)
    return some(), mixed, more


def is_near(found, wanted):
    """Within a last place of half"""
    if wanted is None or (math.isnan(wanted) and math.isnan(found)):
        return True
    near = halves.half(float(wanted)) if not isinstance(wanted, float) or not math.isnan(wanted) else wanted
    if near == found:
        return True
    return not math.isnan(found) and not math.isinf(found) and not math.isnan(near) and abs(float(wanted)) < 70000 \
        and abs(found - float(wanted)) <= max(abs(float(wanted)) * 2.0 ** -10, 2.0 ** -24)


def half_rows(arguments):
    """name, letters of its arguments, what each result should be"""
    for rows, letters in ((halves.ONE, "x"), (halves.TWO, "xy"), (halves.THREE, "xyz"), (halves.WITH_INTEGER, "xn"), (halves.RELATIONS, "xy")):
        for name, model in rows:
            yield name, letters, [model(*values) for values in zip(*(arguments[letter] for letter in letters))]


def wide_kernel(rows, k, width):
    """Compares a fifth of the functions, and some for all widths, with the results of scalars, so that only those need models."""
    text = f"{{ half{width} X, Y, Z, R; int{width} N; for (int i = 0; i < {width}; i++) {{ int j = (g + i) % {COUNT}; X[i] = in[j]; " \
        f"Y[i] = in[{COUNT} + j]; Z[i] = in[{2 * COUNT} + j]; N[i] = m[j]; }}\n"
    for i, (name, letters, _) in enumerate(rows):
        if i % len(WIDTHS) == k or name in ("sin", "fmax", "fma", "ldexp"):
            call = f"{name}({', '.join(letters.upper())})"
            result = f"convert_half{width}(-{call})" if name.startswith("is") else call
            text += f"R = {result}; for (int i = 0; i < {width}; i++) {{ half s = o[{i * COUNT} + (g + i) % {COUNT}]; " \
                f"if (R[i] != s && s == s) {{ atomic_add(bad + {k}, 1); atomic_max(bad + {len(WIDTHS)}, {i}); }} }}\n"
    return text + "}\n"


def check_halves(folder, draw):
    x, y, z = half_inputs(draw)
    arguments = {"x": x, "y": y, "z": z, "n": [draw.randint(-5, 5) for _ in range(COUNT)]}
    rows = list(half_rows(arguments))
    calls = "\n".join(f"o[{i * COUNT} + g] = {name}({', '.join(letters)});" for i, (name, letters, _) in enumerate(rows))
    text = "kernel void k(global const half *in, global const int *m, global half *o, global int *bad) { int g = get_global_id(0), n = m[g];\n" \
        f"half x = in[g], y = in[{COUNT} + g], z = in[{2 * COUNT} + g];\n{calls}\nbarrier(2);\n" \
        + "".join(wide_kernel(rows, k, width) for k, width in enumerate(WIDTHS)) + "}\n"
    found = launch(folder, text, 1, COUNT, [("half", x + y + z), ("int", arguments["n"])], [("half", len(rows) * COUNT), ("int", len(WIDTHS) + 1)])
    if not found:
        return
    for i, (name, letters, wanted) in enumerate(rows):
        got = found[0][i * COUNT:(i + 1) * COUNT]
        wrong = [j for j in range(COUNT) if not is_near(got[j], wanted[j])]
        if wrong:
            j = wrong[0]
            failures.append(f"{name}(half): {len(wrong)} wrong: {[arguments[letter][j] for letter in letters]} gives {got[j]!r}, not {wanted[j]!r}")
    if any(found[1]):
        failures.append(f"halves in vectors of 2, 3, 4, 8, 16: {found[1]} differ, the last of {rows[found[1][-1]][0]}")


def check_half_edges(folder):
    """powr takes -0 for 0"""
    cases = [(-0.0, -1.0, math.inf), (-0.0, -3.0, math.inf), (-0.0, -682.0, math.inf), (-0.0, 1.0, 0.0), (-0.0, 3.0, 0.0), (0.0, -1.0, math.inf), (2.0, 3.0, 8.0)]
    count = len(cases)
    text = f"kernel void k(global const half *in, global half *o) {{ int g = get_global_id(0); o[g] = powr(in[g], in[{count} + g]); }}"
    found = launch(folder, text, 1, count, [("half", [x for x, _, _ in cases] + [y for _, y, _ in cases])], [("half", count)])
    for (x, y, wanted), got in zip(cases, found[0] if found else ()):
        if got != wanted or math.copysign(1, got) != math.copysign(1, wanted):
            failures.append(f"powr(half): {x}, {y} gives {got!r}, not {wanted!r}")


def check_conversions(folder, draw):
    x = half_inputs(draw)[0] + [math.inf, -math.inf, math.nan]
    for kinds in (("char", "uchar", "short", "ushort"), ("int", "uint", "long", "ulong")):
        for kind in kinds:
            modes = ("rte", "rtz", "rtp", "rtn")
            text = f"kernel void k(global const half *in, global {kind} *o, global const {kind} *w, global half *h) {{ int g = get_global_id(0);\n" \
                + "".join(f"o[{len(x) * i} + g] = convert_{kind}_sat_{mode}(in[g]); h[{len(x) * i} + g] = convert_half_{mode}(w[g]);\n" for i, mode in enumerate(modes)) + "}\n"
            low, high = halves.RANGES[kind]
            whole = [min(max(draw.choice((1, -1)) * draw.getrandbits(draw.randint(1, 64)), low), high) for _ in x]
            found = launch(folder, text.replace(f", global {kind} *o, global const {kind} *w", f", global const {kind} *w, global {kind} *o"), 1, len(x),
                           [("half", x), (kind, whole)], [(kind, 4 * len(x)), ("half", 4 * len(x))])
            for i, mode in enumerate(modes if found else ()):
                expect(f"convert_{kind}_sat_{mode}(half)", found[0][len(x) * i:], [halves.to_integer(mode, low, high)(a) for a in x])
                expect(f"convert_half_{mode}({kind})", found[1][len(x) * i:], [halves.to_half(mode)(a) for a in whole])


def check_float_conversions(folder, draw):
    """To floats, from the largest integers and the smallest doubles, too; vectors as their elements"""
    for kind, sources in (("float", ("int", "uint", "long", "ulong", "double")), ("double", ("int", "uint", "long", "ulong"))):
        for source in sources:
            modes = ("rte", "rtz", "rtp", "rtn")
            if source == "double":
                x = [sign * math.ldexp(1 + draw.random(), draw.randint(-160, 126)) for _ in range(20) for sign in (1, -1)] + [0.0, -0.0, 2.0 ** -150, -2.0 ** -151]
            else:
                low, high = halves.RANGES[source]
                x = [min(max(draw.choice((1, -1)) * draw.getrandbits(draw.randint(1, 64)), low), high) for _ in range(40)] + [low, low + 1, high, high - 1]
            text = f"kernel void k(global const {source} *in, global {kind} *o, global int *bad) {{ int g = get_global_id(0); {source} x = in[g];\n"
            for i, mode in enumerate(modes):
                text += f"{kind} r{i} = o[{i * len(x)} + g] = convert_{kind}_{mode}(x);\n"
                for width in WIDTHS:
                    text += f"if (any(convert_{kind}{width}_{mode}(({source}{width})x) != r{i})) bad[{i}] = {width};\n"
            found = launch(folder, text + "}\n", 1, len(x), [(source, x)], [(kind, len(modes) * len(x)), ("int", len(modes))])
            for i, mode in enumerate(modes if found else ()):
                wanted = [bits_of(kind, halves.to_float(mode, kind)(a)) for a in x]
                expect(f"convert_{kind}_{mode}({source})", [bits_of(kind, a) for a in found[0][len(x) * i:len(x) * (i + 1)]], wanted)
                if found[1][i]:
                    failures.append(f"convert_{kind}{found[1][i]}_{mode}({source}) differs from convert_{kind}_{mode}")


# --- mathematics ----------------------------------------------------------------------------------------------

SUBNORMAL = {"float": [-90.0, -100.0], "double": [-720.0, -740.0]} # exp of these


def check_math(folder, kind, draw):
    """The functions that functions_math.cl has in place of libclc's: near Python's, and the same for vectors"""
    rows = [(name, "x", model) for name, model in halves.ONE if name not in ("sqrt", "ceil", "floor", "trunc", "degrees", "radians", "fabs",
                                                                            "rsqrt", "rint", "round", "sign", "logb")]
    rows += [(name, "xy", model) for name, model in halves.TWO if name in ("atan2", "atan2pi", "fmod", "hypot", "pow", "powr", "remainder")]
    rows += [(name, "xn", model) for name, model in halves.WITH_INTEGER if name != "rootn"]
    x = [struct.unpack("f", struct.pack("f", draw.uniform(-1, 1) * 2.0 ** draw.randint(-12, 6)))[0] for _ in range(26)] + [0.0, 1.0, 0.5, 1e9] + SUBNORMAL[kind]
    y, n = draw.sample(x, len(x)), [draw.randint(-5, 5) for _ in x]
    text = f"kernel void k(global const {kind} *in, global const int *m, global {kind} *o, global int *bad) {{ int g = get_global_id(0), n = m[g]; {kind} x = in[g], " \
        f"y = in[{len(x)} + g];\n"
    for i, (name, letters, _) in enumerate(rows):
        text += f"{kind} r{i} = o[{i * len(x)} + g] = {name}({', '.join(letters)});\n"
        for width in WIDTHS:
            vectors = ", ".join(f"({'int' if letter == 'n' else kind}{width})({letter})" for letter in letters)
            text += f"{{ {kind}{width} v = {name}({vectors}); if (any(v != r{i}) && r{i} == r{i}) bad[{i}] = {width}; }}\n"
    found = launch(folder, text + "}\n", 1, len(x), [(kind, x + y), ("int", n)], [(kind, len(x) * len(rows)), ("int", len(rows))], "-cl-std=CL1.2")
    values = {"x": x, "y": y, "n": n}
    near, least = (1e-6, 2.0 ** -148) if kind == "float" else (4e-15, 5e-324)
    for i, (name, letters, model) in enumerate(rows if found else ()):
        if found[1][i]:
            failures.append(f"{name}({kind}{found[1][i]}) differs from {name}({kind})")
        for j, got in enumerate(found[0][len(x) * i:len(x) * (i + 1)]):
            arguments = [values[letter][j] for letter in letters]
            wanted = model(*arguments)
            if wanted is None or (math.isnan(wanted) and math.isnan(got)) or (abs(wanted) > 1e38 and math.isinf(got)):
                continue
            if got != wanted and not abs(got - wanted) <= max(near * abs(wanted) * (4 if "gamma" in name else 1), least, 1e-15 if "pi" in name else 0):
                failures.append(f"{name}({arguments}) of {kind} gives {got!r}, not {wanted!r}")


# a term of x and n, its model, and the units in the last place that the full profile allows
TERMS = [("sincos(x, &q)", lambda x, n: math.sin(x), 4), ("(sincos(x, &q), q)", lambda x, n: math.cos(x), 4),
         ("rootn(fabs(x), n)", lambda x, n: abs(x) ** (1 / n), 16), ("remquo(x, 0.25f * n + 0 * x, &i)", lambda x, n: math.remainder(x, 0.25 * n), 0),
         ("(remquo(x, 0.25f * n + 0 * x, &i), i & 7)", lambda x, n: round(x / (0.25 * n)) & 7, 0)]
# of libclc
HALF_PRECISION = [("half_sin(x)", lambda x, n: math.sin(x), 8192), ("half_cos(x)", lambda x, n: math.cos(x), 8192),
                  ("half_tan(x)", lambda x, n: math.tan(x), 8192), ("half_exp(x)", lambda x, n: math.exp(x), 8192),
                  ("half_exp2(x)", lambda x, n: 2.0 ** x, 8192), ("half_exp10(x)", lambda x, n: 10.0 ** x, 8192),
                  ("half_log(fabs(x))", lambda x, n: math.log(abs(x)), 8192), ("half_log2(fabs(x))", lambda x, n: math.log2(abs(x)), 8192),
                  ("half_log10(fabs(x))", lambda x, n: math.log10(abs(x)), 8192), ("half_sqrt(fabs(x))", lambda x, n: math.sqrt(abs(x)), 8192),
                  ("half_rsqrt(fabs(x))", lambda x, n: 1 / math.sqrt(abs(x)), 8192), ("half_recip(x)", lambda x, n: 1 / x, 8192),
                  ("half_divide(x, n)", lambda x, n: x / n, 8192), ("half_powr(fabs(x), n)", lambda x, n: abs(x) ** n, 8192),
                  ("native_powr(fabs(x), n)", lambda x, n: abs(x) ** n, 8192)]


def check_terms(folder, kind, draw):
    rows = TERMS + (HALF_PRECISION if kind == "float" else [])
    x = [struct.unpack("f", struct.pack("f", draw.uniform(-1, 1) * 2.0 ** draw.randint(-8, 5)))[0] for _ in range(64)]
    n = [draw.choice((-5, -3, -2, -1, 1, 2, 3, 4)) for _ in x]
    text = f"kernel void k(global const {kind} *in, global const int *m, global {kind} *o) {{ int g = get_global_id(0), n = m[g], i; {kind} x = in[g], q;\n"
    text += "".join(f"o[{i * len(x)} + g] = {term};\n" for i, (term, _, _) in enumerate(rows))
    found = launch(folder, text + "}\n", 1, len(x), [(kind, x), ("int", n)], [(kind, len(x) * len(rows))], "-cl-std=CL1.2")
    place = 2.0 ** (-23 if kind == "float" else -52)
    for i, (term, model, places) in enumerate(rows if found else ()):
        for j, got in enumerate(found[0][len(x) * i:len(x) * (i + 1)]):
            wanted = model(x[j], n[j])
            # a double's model is itself a place off, and half_ functions need have no subnormal numbers
            if not abs(got - wanted) <= (places + 1) * place * abs(wanted) + 2.0 ** -126 * (kind == "float"):
                failures.append(f"{term} of {kind} gives {got!r} for {x[j]!r} and {n[j]}, not {wanted!r}")


def saturated(kind, value):
    low, high = halves.RANGES[kind]
    return min(max(value, low), high)


def rotated(kind, x, y):
    bits = 8 * struct.calcsize(CODES[kind])
    x, y = x % 2 ** bits, y % bits
    return wrapped(kind, x << y | x >> bits - y)


def check_integers(folder, kind, draw):
    """The functions of functions_integer.cl, over the ends of the type's range, too; and the same for vectors"""
    low, high = halves.RANGES[kind]
    bits = 8 * struct.calcsize(CODES[kind])
    ends = [low, low + 1, 0, 1, 2, high // 2, high - 1, high]
    count = 256
    x, y, z = ([draw.choice(ends) if draw.random() < 0.5 else draw.randint(low, high) for _ in range(count)] for _ in "xyz")
    rows = [("rotate(x, y)", lambda x, y, z: rotated(kind, x, y)), ("mul_hi(x, y)", lambda x, y, z: x * y >> bits),
            ("mad_hi(x, y, z)", lambda x, y, z: wrapped(kind, (x * y >> bits) + z)), ("mad_sat(x, y, z)", lambda x, y, z: saturated(kind, x * y + z))]
    text = f"kernel void k(global const {kind} *in, global {kind} *o, global int *bad) {{ int g = get_global_id(0); {kind} x = in[g], y = in[{count} + g], " \
        f"z = in[{2 * count} + g];\n"
    for i, (term, _) in enumerate(rows):
        text += f"{kind} r{i} = o[{i * count} + g] = {term};\n"
        for width in WIDTHS:
            vectors = term.replace("x", f"({kind}{width})(x)").replace("y", f"({kind}{width})(y)").replace("z", f"({kind}{width})(z)")
            text += f"if (any({vectors} != ({kind}{width})(r{i}))) bad[{i}] = {width};\n"
    found = launch(folder, text + "}\n", 4, count // 4, [(kind, x + y + z)], [(kind, count * len(rows)), ("int", len(rows))])
    for i, (term, model) in enumerate(rows if found else ()):
        expect(f"{term} of {kind}", found[0][count * i:count * (i + 1)], [model(*values) for values in zip(x, y, z)])
        if found[1][i]:
            failures.append(f"{term} of {kind}{found[1][i]} differs from that of {kind}")


def check_rotations(folder):
    """By numbers of any size, also below 0"""
    by = [0, 1, 5, 31, 32, 33, 63, 64, 65, 127, 128, 2 ** 40 + 3, 2 ** 64 - 1, 2 ** 64 - 64, 2 ** 63 + 7, 0xddd990fdc06cb962]
    value = 0x5c7dba3b151666d7
    text = "kernel void k(global const ulong *by, global ulong *o) { int g = get_global_id(0); const ulong v = 0x5c7dba3b151666d7ul, n = by[g];\n" \
        f"o[g] = rotate(v, n); o[{len(by)} + g] = rotate((ulong2)(v, 1), (ulong2)(1, n)).y; o[{2 * len(by)} + g] = v >> (n & 63) | v << (-n & 63);\n" \
        f"o[{3 * len(by)} + g] = rotate((uint)v, (uint)n); o[{4 * len(by)} + g] = rotate((uchar)0x96, (uchar)n); }}\n"
    found = launch(folder, text, 1, len(by), [("ulong", by)], [("ulong", 5 * len(by))])
    for i, n in enumerate(by if found else ()):
        wanted = [(v << n % bits | v >> bits - n % bits) % 2 ** bits
                  for v, n, bits in ((value, n, 64), (1, n, 64), (value, -n, 64), (value % 2 ** 32, n, 32), (0x96, n, 8))]
        got = [found[0][k * len(by) + i] for k in range(5)]
        if got != wanted:
            failures.append(f"rotations by {n:#x} give {got}, not {wanted}")


def check_fields(folder):
    """Bits of a signed number that was shifted, and more of them than it has left"""
    numbers = [0, 1, -1, 2 ** 63 - 1, -2 ** 63, -2 ** 40 - 12345, 0x5c7dba3b151666d7, -0x5c7dba3b151666d7]
    fields = [(63, 32), (63, 8), (40, 36), (40, 24), (33, 32), (33, 31), (62, 3), (1, 63), (32, 32), (20, 44), (20, 43), (63, 1)]
    terms = [f"o[{len(numbers)} * {i} + g] = (x >> {first}) & {2 ** bits - 1:#x}l; o[{len(numbers)} * {len(fields) + i} + g] = (ulong)x >> {first} & {2 ** bits - 1:#x}ul;"
             for i, (first, bits) in enumerate(fields)]
    text = "kernel void k(global const long *in, global long *o) { int g = get_global_id(0); const long x = in[g];\n" + "\n".join(terms) + " }\n"
    found = launch(folder, text, 1, len(numbers), [("long", numbers)], [("long", 2 * len(numbers) * len(fields))])
    wanted = [(x % 2 ** 64 if is_unsigned else x) >> first & 2 ** bits - 1 for is_unsigned in (False, True) for first, bits in fields for x in numbers]
    expect("fields of shifted numbers", found[0] if found else (), wanted)


def check_ldexp(folder, kind):
    """Of a vector, by one number and by one for each element"""
    numbers = [math.nan, math.inf, -math.inf, -0.0, 1.5, -3.25, 2.0 ** -100, 7.0]
    by = [4, -3, 100, 7, -1, 30, 3, 0]
    text = f"kernel void k(global const {kind} *in, global const int *by, global {kind} *o) {{ const {kind}8 x = vload8(0, in); const int8 n = vload8(0, by);\n" \
        "vstore8(ldexp(x, 4), 0, o); vstore8(ldexp(x, n), 1, o); vstore4(ldexp(x.lo, by[1]), 4, o); vstore3(ldexp(x.s012, 2), 5, o + 5); vstore2(ldexp(x.s01, 2), 12, o); }\n"
    found = launch(folder, text, 1, 1, [(kind, numbers), ("int", by)], [(kind, 26)])
    wanted = [math.ldexp(x, 4) for x in numbers] + [math.ldexp(x, n) for x, n in zip(numbers, by)] + [math.ldexp(x, -3) for x in numbers[:4]] + \
        [math.ldexp(x, 2) for x in numbers[:3]] + [0.0] + [math.ldexp(x, 2) for x in numbers[:2]]
    expect(f"ldexp of {kind}s", [str(x) for x in found[0]] if found else (), [str(x) for x in wanted])


def check_sub_groups_of_1_2(folder):
    """cl_khr_subgroups has no version of the language as a condition"""
    text = """kernel void k(global const int *in, global int *o) { int g = get_global_id(0), x = in[g];
o[g] = sub_group_reduce_add(x); o[40 + g] = sub_group_scan_exclusive_max(x); o[80 + g] = sub_group_broadcast(x, 3u) + 100 * get_sub_group_id();
sub_group_barrier(CLK_LOCAL_MEM_FENCE);
o[120 + g] = (int)(get_sub_group_local_id() + 100 * get_sub_group_size() + 10000 * get_num_sub_groups() + 1000000 * get_max_sub_group_size());
o[160 + g] = sub_group_any(x == 39) + 2 * sub_group_all(x >= 0); o[200 + g] = (int)sub_group_scan_inclusive_add((double)x); }
"""
    found = launch(folder, text, 1, 40, [("int", list(range(40)))], [("int", 240)], "-cl-std=CL1.2")
    groups = [range(32) if g < 32 else range(32, 40) for g in range(40)]
    wanted = [sum(group) for group in groups] + [g - 1 if g not in (0, 32) else -2 ** 31 for g in range(40)] + [group[3] + 100 * (group[0] // 32) for group in groups] + \
        [g % 32 + 100 * len(group) + 20000 + 32000000 for g, group in enumerate(groups)] + [3 if 39 in group else 2 for group in groups] + \
        [sum(range(group[0], g + 1)) for g, group in enumerate(groups)]
    expect("sub-groups in OpenCL C 1.2", found[0] if found else (), wanted)


def check_null(folder):
    """NULL is the same in all spaces, also as a generic pointer; the first place of local memory is none."""
    text = """kernel void k(global int *choice, global int *o) {
local int tile[4]; private int own = 0; global int *there = 0; local int *shared = 0; private int *mine = 0; int *any = 0;
o[0] = any == shared; o[1] = any == mine; o[2] = any == there;
local int *some = choice[0] ? tile : 0; int *as_any = some;
o[3] = as_any == 0; o[4] = as_any == any; o[5] = (int *)tile == any;
some = choice[1] ? tile : 0; as_any = some;
o[6] = as_any == 0; o[7] = as_any == any; o[8] = (int *)(choice[0] ? &own : 0) == 0; o[9] = (int *)(choice[1] ? &own : 0) == 0;
int *last = choice[0] ? (int *)tile : choice[1] ? choice : 0; last[0] = 5; o[10] = tile[0];
for (int i = 0; i < 3; i++) { any = choice[i] ? (int *)tile : (int *)shared; o[11 + i] = any == 0; } }
"""
    found = launch(folder, text, 1, 1, [("int", [1, 0, 2])], [("int", 14)])
    expect("NULL", found[0] if found else (), [1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 5, 0, 1, 0])
    text = """constant int table[3] = {7, 8, 9};
constant int *__attribute__((noinline)) choose(int choice) { return choice ? table : 0; }
kernel void k(global int *choice, global int *o) { for (int i = 0; i < 3; i++) { constant int *at = choose(choice[i]); o[i] = at == 0 ? -1 : at[i]; } }
"""
    found = launch(folder, text, 1, 1, [("int", [1, 0, 2])], [("int", 3)])
    expect("NULL of constant memory", found[0] if found else (), [7, -1, 9])


def bits_of(kind, value):
    return struct.unpack("<I" if kind == "float" else "<Q", struct.pack("<f" if kind == "float" else "<d", value))[0]


def check_edges(folder, kind):
    """Large arguments, subnormal numbers, signs of zeros, and pointers of all spaces and vectors"""
    wide, tiny = (2.0 ** 100, -2.0 ** -126 * (1 + 2.0 ** -23)) if kind == "float" else (float.fromhex("0x1.09ffffffffc00p+44"), -2.0 ** -1070)
    rows = [("sincos(x, &own)", math.sin(wide)), ("own", math.cos(wide)), ("sincos(x, o + 40)", math.sin(wide)), ("o[40]", math.cos(wide)),
            ("sincos(x, &shared)", math.sin(wide)), ("shared", math.cos(wide)), ("sincos((V)(1, x, 2), &pair).y", math.sin(wide)), ("pair.y", math.cos(wide)),
            ("remquo(y, (T)1, &i)", tiny), ("remquo((V)(5, -9, 7), (V)(3, 2, 2), &is).y", -1.0), ("is.x", 2.0), ("is.y", -4.0), ("is.z", 4.0),
            ("rootn(y, 1)", tiny), ("rootn(y, -1)", 1 / tiny if kind == "float" else -math.inf), ("rootn((V)(-27, 4, -0.0f), (int3)(3, -2, 3)).x", -3.0), ("rootn((V)(-27, 4, -0.0f), (int3)(3, -2, 3)).y", 0.5),
            ("rootn(-(T)0, 3)", -0.0), ("rootn(-(T)0, -3)", -math.inf), ("rootn(-(T)0, -2)", math.inf), ("powr(-(T)0, -(T)1)", math.inf), ("powr(-(T)0, (T)3)", 0.0)]
    if kind == "double": # 1 / 7 is rounded, which is 25 places here
        rows += [("rootn(x * 1e286, 7)", 5.645582821316823e+42), ("rootn((T)1e300, 7)", 7.1968567300115202e+42)]
    text = f"typedef {kind} T; typedef {kind}3 V; kernel void k(global const T *in, global T *o) {{ T x = in[0], y = in[1], own; V pair; int i; int3 is; local T shared;\n"
    text += "".join(f"o[{i}] = {term};\n" for i, (term, _) in enumerate(rows))
    for version in "CL1.2", "CL3.0":
        found = launch(folder, text + "}\n", 1, 1, [(kind, [wide, tiny])], [(kind, 64)], f"-cl-std={version}")
        for (term, wanted), got in zip(rows, found[0] if found else ()):
            if bits_of(kind, wanted) >> 63 != bits_of(kind, got) >> 63 or not (got == wanted or abs(bits_of(kind, got) - bits_of(kind, wanted)) <= 4):
                failures.append(f"{term} of {kind} gives {got!r}, not {wanted!r}")


def main():
    draw = random.Random(3)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind in CODES:
            check_groups(folder, kind, draw)
        check_sub_groups(folder)
        check_atomics(folder)
        check_halves(folder, draw)
        check_half_edges(folder)
        check_conversions(folder, draw)
        check_float_conversions(folder, draw)
        check_math(folder, "float", draw)
        check_math(folder, "double", draw)
        for kind in halves.RANGES:
            check_integers(folder, kind, draw)
        check_rotations(folder)
        check_fields(folder)
        check_ldexp(folder, "float")
        check_ldexp(folder, "double")
        check_sub_groups_of_1_2(folder)
        check_null(folder)
        check_edges(folder, "float")
        check_edges(folder, "double")
        check_terms(folder, "float", draw)
        check_terms(folder, "double", draw)
    print("\n".join(failures) or "all as the models say")
    sys.exit(len(failures) > 0)


main()
