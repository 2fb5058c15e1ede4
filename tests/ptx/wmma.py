#!/usr/bin/env python3
"""Kernels that nvcc made of mma.h (wmma.cu), or with --compiled those that hexec makes of it: wmma.py HEXEC [--compiled]. Each
multiplies two matrices; results are those of the model of
tools/vectors/model_matrix.py, which knows nothing of fragments here."""
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools/vectors"))
import model_matrix as model  # noqa: E402

HEXEC, IS_COMPILED = sys.argv[1], "--compiled" in sys.argv
LETTERS = {8: "B", 16: "H", 32: "I", 64: "Q"}
WIDTHS = {**model.BITS, "s32": 32, "f32": 32}
failures = []


def write_npy(path, values, bits):
    head = f"{{'descr': '<u{bits // 8}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}{LETTERS[bits]}", *values))


def laid_out(matrix, by_rows, bits):
    """A matrix as it stands in memory, and the width of what stands there; elements of less than a byte share words."""
    values = [value for line in (matrix if by_rows else zip(*matrix)) for value in line]
    return (values, bits) if bits >= 8 else (model.packed(values, bits, 32 // bits), 32)


def check(folder, module, kernel):
    a_kind, d_kind, rows, columns, depth, layout = re.fullmatch(r"([a-z0-9]+)_([a-z0-9]+)_m(\d+)n(\d+)k(\d+)_(rows|columns)", kernel).groups()
    rows, columns, depth, by_rows = int(rows), int(columns), int(depth), layout == "rows"
    rng = random.Random(kernel)
    combination = "xor" if a_kind == "b1" else ""
    a = [[model.drawn(rng, a_kind) for _ in range(depth)] for _ in range(rows)]
    b = [[model.drawn(rng, a_kind) for _ in range(columns)] for _ in range(depth)]
    c = [[model.drawn(rng, d_kind) for _ in range(columns)] for _ in range(rows)]
    options = []
    for name, matrix, as_rows, kind in (("a", a, by_rows, a_kind), ("b", b, not by_rows, a_kind), ("c", c, by_rows, d_kind)):
        values, bits = laid_out(matrix, as_rows, WIDTHS[kind])
        write_npy(folder / f"{name}.npy", values, bits)
        options += ["--arg", f"@{folder / f'{name}.npy'}"]
    expected, bits = laid_out(model.product(("", a_kind, a_kind, d_kind, combination), a, b, c), by_rows, WIDTHS[d_kind])
    out = folder / "d.bin"
    done = subprocess.run([HEXEC, str(HERE / module), "--kernel", kernel, "--block", "32", *options, "--arg", f"u{bits}:{len(expected)}",
                           "--out", f"3={out}", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        failures.append(f"{module} {kernel}: exit {done.returncode}\n{done.stderr[-900:]}")
        return
    got = struct.unpack(f"<{len(expected)}{LETTERS[bits]}", out.read_bytes())
    wrong = [i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]]
    if wrong:
        failures.append(f"{module} {kernel}: {len(wrong)} of {len(expected)} differ, element {wrong[0]} is {got[wrong[0]]:#x}, "
                        f"not {expected[wrong[0]]:#x}")


with tempfile.TemporaryDirectory() as place:
    total = 0
    os.environ["HEXEC_CACHE"] = place
    for path in sorted(HERE.glob("wmma-*.ptx"))[-1:] if IS_COMPILED else sorted(HERE.glob("wmma-*.ptx")):
        for found in re.findall(r"\.visible \.entry (\w+)", path.read_text(encoding="utf-8")):
            if IS_COMPILED and re.search("(m32n8|m8n32).*rows", found):
                continue # the header has one macro for all shapes
            check(pathlib.Path(place), "wmma.cu" if IS_COMPILED else path.name, found)
            total += 1
print("\n".join(failures) or f"{total} kernels agree")
sys.exit(len(failures) > 0 or total < (25 if IS_COMPILED else 30))
