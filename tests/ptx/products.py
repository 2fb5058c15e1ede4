#!/usr/bin/env python3
"""Products of matrices that become several instructions: products.py HEXEC [--library]. Floats of 8 bits and fewer, and with
--library mma.m8n8k4 of f16. Where a lane has which element is written here from the PTX ISA ("Matrix Fragments"); elements are such
that sums are exact in any order."""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

from numbers_ptx import decode

HEXEC, HAS_LIBRARY = sys.argv[1], "--library" in sys.argv
NARROW = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
failures = []


def numbers_of(kind, bits, step):
    """The numbers from 1/4 to 4, and 0, by their bits."""
    values = {each: decode(kind, each) for each in range(0, 1 << bits, step)}
    return {each: float(value) for each, value in values.items() if isinstance(value, Fraction) and (value == 0 or 1 <= 4 * abs(value) <= 16)}


VALUES = {"e4m3": numbers_of("e4m3", 8, 1), "e5m2": numbers_of("e5m2", 8, 1), "e3m2": numbers_of("e3m2", 6, 1),
          "e2m3": numbers_of("e2m3", 6, 1), "e2m1": numbers_of("e2m1", 4, 1), "f16": numbers_of("f16", 16, 256)}
CHOICES = {kind: sorted(values) for kind, values in VALUES.items()}


def drawn(kind, rng):
    return rng.choice(CHOICES[kind])


def kernel(name, case):
    """Loads A, B and C, and stores D. `counts`: how many registers of D, A, B and C a lane has."""
    opcode, _, counts, _ = case
    letters = "dabcst"[:len(counts)]  # s, t: the scales
    names = [[f"%{letter}{i}" for i in range(count)] for letter, count in zip(letters, counts)]
    opcode, _, ids = opcode.partition(" ")
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out) {{",
             ".reg .b64 %in, %out; .reg .b32 %lane; " + " ".join(f".reg .b32 %{letter}<{count}>;" for letter, count in zip(letters, counts)),
             "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %lane, %tid.x;",
             f"mad.wide.u32 %in, %lane, {4 * sum(counts[1:])}, %in; mad.wide.u32 %out, %lane, {4 * counts[0]}, %out;"]
    flat = [register for group in names[1:] for register in group]
    lines += [f"ld.global.b32 {register}, [%in+{4 * i}];" for i, register in enumerate(flat)]
    operands = ["{" + ", ".join(group) + "}" for group in names[:4]]
    if ids:
        operands += [each for group, pair in zip(names[4:], ids.split(" ")) for each in (group[0], f"{{{pair}}}")]
    lines.append(f"{opcode} " + ", ".join(operands) + ";")
    return lines + [f"st.global.b32 [%out+{4 * i}], {register};" for i, register in enumerate(names[0])] + ["ret; }", ""]


def run(folder, cases):
    """All in one program, a launch each."""
    text, program = [".version 9.0", ".target sm_120a", ".address_size 64"], ["program: products", "source: k.ptx", "buffers:"]
    for i, case in enumerate(cases):
        text += kernel(f"k{i}", case)
        words = [word for lane in range(32) for group in case[1] for word in group[lane]]
        program += [f"  - {{name: in{i}, type: u32, values: {words}}}", f"  - {{name: out{i}, type: u32, count: {32 * case[2][0]}}}"]
    program += ["run:"] + [f"  - {{kernel: k{i}, grid: [1], block: [32], args: [in{i}, out{i}]}}" for i in range(len(cases))]
    (folder / "k.ptx").write_text("\n".join(text), encoding="utf-8")
    (folder / "k.yaml").write_text("\n".join(program) + "\n", encoding="utf-8")
    outs = [each for i in range(len(cases)) for each in ("--out", f"out{i}={folder / f'{i}.bin'}")]
    done = subprocess.run([HEXEC, folder / "k.yaml", *outs, "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        failures.append(f"exit {done.returncode}\n{done.stdout}{done.stderr[-900:]}")
        return
    for i, (opcode, _, counts, wanted) in enumerate(cases):
        found = struct.unpack(f"<{32 * counts[0]}I", (folder / f"{i}.bin").read_bytes())
        for lane in range(32):
            got = list(found[lane * counts[0]:(lane + 1) * counts[0]])
            if got != wanted[lane]:
                failures.append(f"{opcode}: lane {lane} has {[hex(x) for x in got]}, not {[hex(x) for x in wanted[lane]]}")
                break


def packed(values, bits):
    return sum(value << i * bits for i, value in enumerate(values))


def encoded(kind, value):
    letter = {"f32": "f", "f16": "e"}[kind]
    return int.from_bytes(struct.pack(f"<{letter}", value), "little")


def sums_of(kind, places, matrix):
    """A lane's registers of C or D, whose elements are at `places`."""
    bits = [encoded(kind, matrix[row][column]) for row, column in places]
    return bits if kind == "f32" else [packed(bits[i:i + 2], 16) for i in range(0, len(bits), 2)]


# ---- m16n8k32 and m16n8k16 of floats of 8 bits and fewer

def narrow_sums(lane):
    g, t = lane >> 2, lane & 3
    return [(g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1)]


def narrow_case(depth, a_kind, b_kind, d_kind, written=""):
    opcode = f"mma.sync.aligned.m16n8k{depth}.row.col.{written}{d_kind}.{a_kind}.{b_kind}.{d_kind}"
    rng = random.Random(opcode)
    a = [[drawn(a_kind, rng) for _ in range(depth)] for _ in range(16)]
    b = [[drawn(b_kind, rng) for _ in range(depth)] for _ in range(8)]  # by columns
    c = [[rng.randrange(-64, 64) / 4 for _ in range(8)] for _ in range(16)]
    d = [[c[i][j] + sum(VALUES[a_kind][x] * VALUES[b_kind][y] for x, y in zip(a[i], b[j])) for j in range(8)] for i in range(16)]
    shift = {kind: 2 if kind == "e2m1" else 0 for kind in NARROW}  # in a byte, four bits stand in the middle
    fragments_a = [[packed([x << shift[a_kind] for x in a[(lane >> 2) + 8 * (i & 1)][4 * (lane & 3) + 16 * (i >> 1):][:4]], 8)
                    for i in range(depth // 8)] for lane in range(32)]
    fragments_b = [[packed([x << shift[b_kind] for x in b[lane >> 2][4 * (lane & 3) + 16 * i:][:4]], 8) for i in range(depth // 16)]
                   for lane in range(32)]
    sums = 4 if d_kind == "f32" else 2
    fragments_c, fragments_d = ([sums_of(d_kind, narrow_sums(lane), each) for lane in range(32)] for each in (c, d))
    return opcode, (fragments_a, fragments_b, fragments_c), (sums, depth // 8, depth // 16, sums), fragments_d


# ---- products of blocks with scales: that of a row is in lanes 4 g + 2 i and 4 g + 2 i + 1, that of a column in lane 4 g + j

def scale_of(kind, bits):
    return 2.0 ** (bits - 127) if kind == "ue8m0" else float(decode("e4m3", bits))


def scaled_case(opcode, depth, blocks, kinds, ids):
    (a_kind, b_kind, scale_kind), (byte_a, lane_a, byte_b, lane_b) = kinds, ids
    rng = random.Random(opcode + str(ids))
    choice = range(124, 131) if scale_kind == "ue8m0" else (0x28, 0x30, 0x34, 0x38, 0x40)
    a = [[drawn(a_kind, rng) for _ in range(depth)] for _ in range(16)]
    b = [[drawn(b_kind, rng) for _ in range(depth)] for _ in range(8)]
    c = [[rng.randrange(-64, 64) / 4 for _ in range(8)] for _ in range(16)]
    scales_a, scales_b = ([[rng.choice(choice) for _ in range(blocks)] for _ in range(count)] for count in (16, 8))
    d = [[c[i][j] + sum(VALUES[a_kind][x] * VALUES[b_kind][y] * scale_of(scale_kind, scales_a[i][k * blocks // depth])
                        * scale_of(scale_kind, scales_b[j][k * blocks // depth]) for k, (x, y) in enumerate(zip(a[i], b[j])))
          for j in range(8)] for i in range(16)]
    bits = 4 if depth == 64 else 8
    each = 32 // bits  # elements of a register
    shift = {kind: 2 if kind == "e2m1" and bits == 8 else 0 for kind in NARROW}
    fragments_a = [[packed([x << shift[a_kind] for x in a[(lane >> 2) + 8 * (i & 1)][each * (lane & 3) + depth // 2 * (i >> 1):][:each]], bits)
                    for i in range(4)] for lane in range(32)]
    fragments_b = [[packed([x << shift[b_kind] for x in b[lane >> 2][each * (lane & 3) + depth // 2 * i:][:each]], bits)
                    for i in range(2)] for lane in range(32)]
    fragments_c, fragments_d = ([sums_of("f32", narrow_sums(lane), each) for lane in range(32)] for each in (c, d))
    given_a, given_b = ([[rng.getrandbits(32)] for _ in range(32)] for _ in range(2))
    for lane in range(32):
        if lane >> 1 & 1 == lane_a:
            put(given_a[lane], byte_a, scales_a[(lane >> 2) + 8 * (lane & 1)])
        if lane & 3 == lane_b:
            put(given_b[lane], byte_b, scales_b[lane >> 2])
    groups = (fragments_a, fragments_b, fragments_c, given_a, given_b)
    return f"{opcode} {byte_a},{lane_a} {byte_b},{lane_b}", groups, (4, 4, 2, 4, 1, 1), fragments_d


def put(word, at, values):
    for i, value in enumerate(values):
        word[0] = word[0] & ~(0xFF << 8 * (at + i)) | value << 8 * (at + i)


def scaled_cases():
    for first in NARROW:
        for second in NARROW:
            opcode = f"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.{first}.{second}.f32.ue8m0"
            ids = (len(first + second) % 4, NARROW.index(first) & 1, NARROW.index(second) % 4, NARROW.index(first) % 4)
            yield scaled_case(opcode if first != "e3m2" else opcode.replace(".scale_vec::1X", ""), 32, 1, (first, second, "ue8m0"), ids)
    head = "mma.sync.aligned.m16n8k64.row.col.kind::"
    for ids in ((0, 0, 0, 0), (2, 1, 0, 3), (0, 1, 2, 2)):
        for kind in ("mxf4.block_scale", "mxf4.block_scale.scale_vec::2X", "mxf4nvf4.block_scale.scale_vec::2X"):
            yield scaled_case(f"{head}{kind}.f32.e2m1.e2m1.f32.ue8m0", 64, 2, ("e2m1", "e2m1", "ue8m0"), ids)
        yield scaled_case(f"{head}mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", 64, 4, ("e2m1", "e2m1", "ue4m3"),
                          (0, ids[1], 0, ids[3]))


# ---- m8n8k4 of f16: four products, one of lanes 4 q to 4 q + 3 and 4 q + 16 to 4 q + 19

def line_of(lane):
    return (lane & 3) + 4 * (lane >= 16)


def volta_sums(kind, lane):
    if kind == "f16":
        return [(line_of(lane), column) for column in range(8)]
    return [((lane & 1) + (i & 2) + 4 * (lane >= 16), (i & 4) + (lane & 2) + (i & 1)) for i in range(8)]


def volta_case(a_layout, b_layout, d_kind, c_kind):
    opcode = f"mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d_kind}.f16.f16.{c_kind}"
    rng = random.Random(opcode)
    groups = []
    for _ in range(4):
        a, b = ([[drawn("f16", rng) for _ in range(4)] for _ in range(8)] for _ in range(2))  # rows of A, columns of B
        c = [[rng.randrange(-64, 64) / 4 for _ in range(8)] for _ in range(8)]
        product = [[c[i][j] + sum(VALUES["f16"][x] * VALUES["f16"][y] for x, y in zip(a[i], b[j])) for j in range(8)]
                   for i in range(8)]
        groups.append((a, b, c, product))

    def fragment(lines, lane, is_along):
        values = lines[line_of(lane)] if is_along else [lines[4 * (lane >= 16) + i][lane & 3] for i in range(4)]
        return [packed(values[:2], 16), packed(values[2:], 16)]

    def of_group(index, lane):
        return groups[lane >> 2 & 3][index]
    operands = [[fragment(of_group(0, lane), lane, a_layout == "row") for lane in range(32)],
                [fragment(of_group(1, lane), lane, b_layout == "col") for lane in range(32)],
                [sums_of(c_kind, volta_sums(c_kind, lane), of_group(2, lane)) for lane in range(32)]]
    counts = (8 if d_kind == "f32" else 4, 2, 2, 8 if c_kind == "f32" else 4)
    return opcode, operands, counts, [sums_of(d_kind, volta_sums(d_kind, lane), of_group(3, lane)) for lane in range(32)]


def all_cases():
    for first in NARROW:
        for second in NARROW:
            is_old = first in NARROW[:2] and second in NARROW[:2]
            for result in ("f32", "f16"):
                yield narrow_case(32, first, second, result, "" if is_old else "kind::f8f6f4.")
                if is_old:
                    yield narrow_case(16, first, second, result)
    yield from scaled_cases()
    for first in ("row", "col") if HAS_LIBRARY else ():
        for second in ("row", "col"):
            for result, start in (("f32", "f32"), ("f32", "f16"), ("f16", "f16")):
                yield volta_case(first, second, result, start)


with tempfile.TemporaryDirectory() as place:
    found_cases = list(all_cases())
    run(pathlib.Path(place), found_cases)
print("\n".join(failures) or f"{len(found_cases)} products agree")
sys.exit(len(failures) > 0)
