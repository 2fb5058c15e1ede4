#!/usr/bin/env python3
"""Matrices of a warp in PTX: matrix.py HEXEC. Products over all shapes and types that mma has, and what moves fragments,
against a model of its own (tools/vectors/model_matrix.py)."""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools/vectors"))
import model_matrix as model  # noqa: E402

HEXEC = sys.argv[1]
LANES = model.LANES
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
failures = []


def hexec(*arguments):
    return subprocess.run([HEXEC, *map(str, arguments)], capture_output=True, text=True, check=False)


def write_npy(path, values, wide=False):
    kind, letter = ("<u8", "Q") if wide else ("<u4", "I")
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}{letter}", *values))


def run(folder, name, text, inputs, count, wide=False):
    """The last argument's elements; an input is a list of numbers of 32 bits, or of 64 with `wide`."""
    path, out = folder / "kernel.ptx", folder / "out.bin"
    path.write_text(text, encoding="utf-8")
    options = []
    for i, values in enumerate(inputs):
        write_npy(folder / f"in{i}.npy", values, wide)
        options += ["--arg", f"@{folder / f'in{i}.npy'}"]
    done = hexec(path, "--block", LANES, *options, "--arg", f"{'u64' if wide else 'u32'}:{count}", "--out", f"{len(inputs)}={out}",
                 "--quiet")
    if done.returncode != 0:
        failures.append(f"{name}: exit {done.returncode}\n{done.stderr[-900:]}")
        return [0] * count
    return list(struct.unpack(f"<{count}{'Q' if wide else 'I'}", out.read_bytes()))


def check(name, got, expected):
    if got != expected:
        wrong = [i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]]
        failures.append(f"{name}: {len(wrong)} of {len(expected)} differ, first {wrong[0]}: {got[wrong[0]]:#x}, not {expected[wrong[0]]:#x}")


def kernel(name, inputs, counts, body, wide=False, shared=0):
    """A kernel that loads `counts` registers of each input, in the order of lanes, and stores those of the last."""
    size, bits = (8, "b64") if wide else (4, "b32")
    lines = [HEAD, f".visible .entry {name}(" + ", ".join(f".param .u64 p{i}" for i in range(inputs + 1)) + ")", "{",
             ".reg .b64 %at, %offset;", ".reg .b32 %lane, %t<40>;", ".reg .pred %p;"]
    if shared:
        lines.append(f".shared .align 16 .b8 tile[{shared}];")
    for i, count in enumerate(counts):
        lines.append(f".reg .{bits} %v{i}_<{count}>;")
    lines.append("mov.u32 %lane, %tid.x;")
    for i, count in enumerate(counts):
        transfer = [f"ld.param.u64 %at, [p{i}];", f"mul.wide.u32 %offset, %lane, {count * size};", "add.u64 %at, %at, %offset;"]
        if i == inputs:
            lines += body + transfer + [f"st.global.{bits} [%at+{size * k}], %v{i}_{k};" for k in range(count)]
        else:
            lines += transfer + [f"ld.global.{bits} %v{i}_{k}, [%at+{size * k}];" for k in range(count)]
    return "\n".join(lines + ["ret;", "}"]) + "\n"


def vector(index, count):
    names = [f"%v{index}_{k}" for k in range(count)]
    return names[0] if count == 1 else "{" + ", ".join(names) + "}"


def opcode_of(form, saturates):
    shape, a, b, d, combination = form
    tail = f".{combination}.popc" if combination else ""
    return f"mma.sync.aligned.{shape}.row.col{'.satfinite' if saturates else ''}.{d}.{a}.{b}.{d}{tail}"


def product_case(form, saturates):
    """Fragments of A, B and C, what D's are, and the text."""
    rng = random.Random(repr((form, saturates)))
    shape, a_kind, b_kind, d_kind, _ = form
    a, b, c = model.matrices(rng, form)
    fragments = [model.fragments_of_a(a_kind, shape, a), model.fragments_of_b(b_kind, shape, b), model.fragments_of_c(d_kind, shape, c)]
    expected = model.fragments_of_c(d_kind, shape, model.product(form, a, b, c, saturates))
    counts = [len(each[0]) for each in fragments] + [len(expected[0])]
    # registers of f64 are loaded as those of 64 bits
    body = [f"{opcode_of(form, saturates)} {vector(3, counts[3])}, " + ", ".join(vector(i, counts[i]) for i in range(3)) + ";"]
    return fragments, expected, kernel("product", 3, counts, body, d_kind == "f64")


def flat(lists):
    return [value for each in lists for value in each]


def check_product(folder, form, saturates=False):
    fragments, expected, text = product_case(form, saturates)
    got = run(folder, repr(form), text, [flat(each) for each in fragments], len(flat(expected)), form[3] == "f64")
    check(f"{opcode_of(form, saturates)}", got, flat(expected))


# ---- ldmatrix, stmatrix, movmatrix: 8 x 8 elements of 16 bits; lane 4 g + t has those in row g, columns 2 t and 2 t + 1

def pair(matrix, row, column):
    return matrix[row][column] | matrix[row][column + 1] << 16


def transposed(matrix):
    return [list(row) for row in zip(*matrix)]


def moving_case(count):
    """Matrices as rows of 4 words each, row r of matrix m at 16 (8 m + r)."""
    rng = random.Random(count)
    found = [[[rng.getrandbits(16) for _ in range(8)] for _ in range(8)] for _ in range(count)]
    return found, [pair(matrix, row, 2 * t) for matrix in found for row in range(8) for t in range(4)]


# words of the tile from and to registers that stand in memory behind each other
FILL = ["mul.wide.u32 %offset, %lane, 16;", "cvt.u32.u64 %t0, %offset;", "mov.u32 %t1, tile;", "add.u32 %t0, %t0, %t1;"]


def check_load(folder, count, trans):
    found, words = moving_case(count)
    words = words + [0] * (128 - len(words))
    body = [*FILL, "st.shared.v4.b32 [%t0], {%v0_0, %v0_1, %v0_2, %v0_3};", "bar.sync 0;"]
    body.append(f"ldmatrix.sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.shared.b16 {{{vector(1, count).strip('{}')}}}, [%t0];")
    got = run(folder, "ldmatrix", kernel("load", 1, [4, count], body, shared=512), [words], LANES * count)
    found = [transposed(matrix) if trans else matrix for matrix in found]
    check(f"ldmatrix x{count} {trans}", got, [pair(matrix, lane // 4, lane % 4 * 2) for lane in range(LANES) for matrix in found])


def check_store(folder, count, trans):
    found, words = moving_case(count)
    fragments = [pair(transposed(matrix) if trans else matrix, lane // 4, lane % 4 * 2) for lane in range(LANES) for matrix in found]
    body = [*FILL, "st.shared.v4.b32 [%t0], {0, 0, 0, 0};", "bar.sync 0;"]
    body.append(f"stmatrix.sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.shared.b16 [%t0], {{{vector(0, count).strip('{}')}}};")
    body += ["bar.sync 0;", "ld.shared.v4.b32 {%v1_0, %v1_1, %v1_2, %v1_3}, [%t0];"]
    got = run(folder, "stmatrix", kernel("store", 1, [count, 4], body, shared=512), [fragments], LANES * 4)
    check(f"stmatrix x{count} {trans}", got, words + [0] * (128 - len(words)))


def element(words, row, index, bits):
    """Of 16 elements that stand from the lowest bit of a row of 16 bytes on."""
    whole = sum(word << 32 * i for i, word in enumerate(words[4 * row:4 * row + 4]))
    return whole >> bits * index & (1 << bits) - 1


def joined(elements):
    return sum(value << 8 * i for i, value in enumerate(elements))


def check_byte_loads(folder):
    """A register has four elements, a byte each: of m8n16 those of row g from 4 t on; of m16n16, which is transposed, those of rows
    4 t + 2 k and the next, in column g and then in column g + 8, where k is which register of the matrix it is."""
    rng = random.Random(8)
    words = [rng.getrandbits(32) for _ in range(128)]
    for kind, bits in (("b8", 8), ("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)):
        for shape, number in (("m8n16", 1), ("m8n16", 2), ("m8n16", 4), ("m16n16", 1), ("m16n16", 2)):
            if (shape, bits) == ("m8n16", 8):
                continue
            square = shape == "m16n16"
            count = number * 2 if square else number
            for space in ("", ".shared"):
                body = [*FILL, "st.shared.v4.b32 [%t0], {%v0_0, %v0_1, %v0_2, %v0_3};", "bar.sync 0;", "cvt.u64.u32 %at, %t0;",
                        "cvta.shared.u64 %at, %at;"]
                opcode = f"ldmatrix.sync.aligned.{shape}.x{number}{'.trans' if square else ''}{space}.{kind}"
                body.append(f"{opcode} {{{vector(1, count).strip('{}')}}}, [{'%t0' if space else '%at'}];")
                got = run(folder, opcode, kernel("load", 1, [4, count], body, shared=512), [words], LANES * count)
                if square:
                    expected = [joined(element(words, 16 * (i // 2) + 4 * (lane % 4) + 2 * (i % 2) + j % 2, lane // 4 + 8 * (j // 2), bits)
                                       for j in range(4)) for lane in range(LANES) for i in range(count)]
                else:
                    expected = [joined(element(words, 8 * i + lane // 4, 4 * (lane % 4) + j, bits) for j in range(4))
                                for lane in range(LANES) for i in range(count)]
                check(opcode, got, expected)


def check_byte_stores(folder):
    """Byte j of register i goes to row 8 i + 2 t + j % 2, column g + 8 (j / 2)."""
    rng = random.Random(9)
    for count in (1, 2, 4):
        fragments = [rng.getrandbits(32) for _ in range(LANES * count)]
        rows = [[0] * 16 for _ in range(32)]
        for lane in range(LANES):
            for i in range(count):
                for j in range(4):
                    rows[8 * i + 2 * (lane % 4) + j % 2][lane // 4 + 8 * (j // 2)] = fragments[lane * count + i] >> 8 * j & 0xFF
        opcode = f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8"
        body = [*FILL, "st.shared.v4.b32 [%t0], {0, 0, 0, 0};", "bar.sync 0;", f"{opcode} [%t0], {{{vector(0, count).strip('{}')}}};",
                "bar.sync 0;", "ld.shared.v4.b32 {%v1_0, %v1_1, %v1_2, %v1_3}, [%t0];"]
        got = run(folder, opcode, kernel("store", 1, [count, 4], body, shared=512), [fragments], LANES * 4)
        check(opcode, got, [joined(row[i:i + 4]) for row in rows for i in range(0, 16, 4)])


def check_move(folder):
    (matrix,), words = moving_case(1)
    body = ["movmatrix.sync.aligned.m8n8.trans.b16 %v1_0, %v0_0;"]
    got = run(folder, "movmatrix", kernel("move", 1, [1, 1], body), [words], LANES)
    check("movmatrix", got, [pair(transposed(matrix), lane // 4, lane % 4 * 2) for lane in range(LANES)])


with tempfile.TemporaryDirectory() as place:
    work = pathlib.Path(place)
    for each in model.FORMS:
        check_product(work, each)
        if each[3] == "s32" and not each[4]:
            check_product(work, each, saturates=True)
    for matrix_count in (1, 2, 4):
        for is_transposed in (False, True):
            check_load(work, matrix_count, is_transposed)
            check_store(work, matrix_count, is_transposed)
    check_move(work)
    check_byte_loads(work)
    check_byte_stores(work)
print("\n".join(failures) or "all agree")
sys.exit(len(failures) > 0)
