#!/usr/bin/env python3
"""Single instructions of PTX: instructions.py HEXEC [--only REGEX] [--library] [--ptxas PTXAS].
A row's text may use 64 bytes of its thread in global memory, [place], and in shared memory, [spot].
Each row of the tables instructions_*.py is run with and without a guard, and must give what its model says."""
import argparse
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import instructions_float
import instructions_integer
import instructions_lanes
import instructions_library
import instructions_memory
import instructions_narrow
import instructions_operands
import instructions_video
from numbers_ptx import FORMATS, Near, mask, size

CASES = 64
ROWS_OF_A_KERNEL = 24
SENTINEL = 0x5A5A5A5A5A5A5A5A
SPECIALS = {
    "f16": [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x3555, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7FFF, 0x7E01, 0xFE00, 0x4248],
    "bf16": [0, 0x8000, 1, 0x807F, 0x80, 0x3F80, 0xBF80, 0x3EAB, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FFF, 0xFFC0, 0x4049],
    "f32": [0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, 0x3EAAAAAB, 0x40490FDB, 0x7F7FFFFF, 0xFF7FFFFF,
            0x7F800000, 0xFF800000, 0x7FC00000, 0x7FFFFFFF, 0xFFC00001, 0x477FE000, 0x477FF000, 0xC7800000, 0x3F801000, 0x3F803000,
            0x3F000000, 0x4B800000, 0x33800000, 0x7F7F8000],
    "f64": [0, 1 << 63, 1, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FD5555555555555, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
            0xFFF0000000000000, 0x7FF8000000000000, 0x10000000000000, 0x400921FB54442D18]}


def draw(kind, source):
    bits = size(kind)
    if kind in FORMATS:
        way = source.random()
        if way < 0.4:
            return source.choice(SPECIALS[kind])
        exponent, fraction = FORMATS[kind][:2]
        near = ((1 << (exponent - 1)) - 1 + source.randint(-min(10, 1 << (exponent - 2)), min(10, 1 << (exponent - 2)))) << fraction
        return source.getrandbits(bits) if way < 0.6 else near | source.getrandbits(fraction) | source.getrandbits(1) << (bits - 1)
    corners = [0, 1, 2, 0x7F, 0x80, 0xFF, mask(kind), mask(kind) >> 1, (mask(kind) >> 1) + 1, mask(kind) - 1]
    return (source.choice(corners) if source.random() < 0.4 else source.getrandbits(bits)) & mask(kind)


def input_of(spec, source):
    """kind, kind@f16 (two of them in a word), kind@a,b,c (one of these)."""
    kind, _, pool = spec.partition("@")
    if pool in FORMATS:
        count, bits = size(kind) // size(pool), size(pool)
        return sum(draw(pool, source) << i * bits for i in range(count))
    if pool:
        low, _, high = pool.partition("..")
        return (source.randint(int(low), int(high)) if high else int(source.choice(pool.split(",")), 0)) & mask(kind)
    return draw(kind, source)


class Row:
    def __init__(self, text, outputs, inputs, model):
        self.text, self.model = text, model
        self.outputs, self.inputs = ([part.split(":") for part in each.split()] for each in (outputs, inputs))
        source = random.Random(text)
        self.cases = [[input_of(spec, source) for _, spec in self.inputs] for _ in range(CASES)]

    def expected(self, case, active):
        if not active:
            return [SENTINEL & mask(kind) for _, kind in self.outputs]
        values = [bits - (1 << size(spec.partition("@")[0])) if spec[0] == "s" and bits >> (size(spec.partition("@")[0]) - 1) else bits
                  for (_, spec), bits in zip(self.inputs, case)]
        results = self.model(*values)
        results = results if isinstance(results, tuple) else (results,)
        return [result if isinstance(result, Near) else int(result) & mask(kind) for result, (_, kind) in zip(results, self.outputs)]

    def expected_at(self, thread, guarded):
        return self.expected(self.cases[thread], not guarded or thread & 1)

    def statements(self, number, guard):
        def named(match):
            return f"x{number}_{match.group(0)}"
        names = "|".join(name for name, _ in self.outputs + self.inputs)
        for statement in self.text.rstrip(";").split(";"):
            opcode, _, operands = statement.strip().partition(" ")
            if opcode.startswith("."):
                yield f"{statement};"
                continue
            yield f"{guard}{opcode} " + re.sub(rf"(?<![\w.%])(?:{names})(?!\w)", named, operands) + ";"


class LaneRow(Row):
    """Of instructions_lanes.py: what a lane gets depends on the others."""
    def expected_at(self, thread, guarded):
        if guarded and not thread & 1:
            return [SENTINEL & mask(kind) for _, kind in self.outputs]
        active = list(range(1, 32, 2)) if guarded else list(range(32))
        inputs = [[case[i] for case in self.cases[thread // 32 * 32:][:32]] for i in range(len(self.inputs))]
        results = self.model(thread % 32, active, *inputs)
        return list(results) if isinstance(results, tuple) else [results]

    def statements(self, number, guard):
        for statement in super().statements(number, guard):
            yield statement.replace("MASK", "0xaaaaaaaa" if guard else "0xffffffff")


def register(kind):
    return "pred" if kind == "pred" else f"b{max(16, size(kind))}"


def kernel_of(name, rows, guarded):
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 scratch) {{", ".reg .b32 id, word, spot; .reg .pred odd;",
             f".reg .b64 from, to, at, place; .shared .align 64 .b8 block[{64 * CASES}];",
             "mov.u32 id, %tid.x; and.b32 word, id, 1; setp.ne.u32 odd, word, 0;", "ld.param.u64 from, [in]; ld.param.u64 to, [out];",
             "ld.param.u64 place, [scratch]; mad.wide.u32 place, id, 64, place; mov.u32 spot, block; mad.lo.u32 spot, id, 64, spot;"]
    taken = given = 0
    for number, row in enumerate(rows):
        for local, spec in row.inputs + row.outputs:
            lines.append(f".reg .{register(spec.partition('@')[0])} x{number}_{local};")
        lines.append(f"mad.wide.u32 at, id, {8 * len(row.inputs)}, from;")
        for local, spec in row.inputs:
            kind = spec.partition("@")[0]
            lines.append(f"ld.global.u32 word, [at+{taken}]; setp.ne.u32 x{number}_{local}, word, 0;" if kind == "pred" else
                         f"ld.global.{register(kind)} x{number}_{local}, [at+{taken}];")
            taken += 8
        taken += 8 * len(row.inputs) * (CASES - 1)
        for local, kind in row.outputs:
            lines.append(f"setp.ne.u32 x{number}_{local}, id, id;" if kind == "pred" else
                         f"mov.{register(kind)} x{number}_{local}, {SENTINEL & mask(register(kind))};")
        lines += ["{", *row.statements(number, "@odd " if guarded else ""), "}"]
        lines.append(f"mad.wide.u32 at, id, {8 * len(row.outputs)}, to;")
        for local, kind in row.outputs:
            lines.append(f"selp.u32 word, 1, 0, x{number}_{local}; st.global.u32 [at+{given}], word;" if kind == "pred" else
                         f"st.global.{register(kind)} [at+{given}], x{number}_{local};")
            given += 8
        given += 8 * len(row.outputs) * (CASES - 1)
    return "\n".join([*lines, "ret;", "}", ""]), given


HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"


def write_npy(path, data):
    head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(data)
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)


def run(hexec, folder, rows, guarded):
    """The failures of rows in one kernel; one that cannot be run at all is looked for one by one."""
    text, given = kernel_of("test", rows, guarded)
    (folder / "test.ptx").write_text(HEAD + text, encoding="utf-8")
    write_npy(folder / "in.npy", b"".join(struct.pack("<Q", bits) for row in rows for case in row.cases for bits in case) or bytes(8))
    done = subprocess.run([hexec, folder / "test.ptx", "--block", str(CASES), "--arg", f"@{folder / 'in.npy'}", "--arg", f"u8:{given}",
                           "--arg", f"u8:{64 * CASES}", "--out", f"1={folder / 'out.bin'}", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0 and len(rows) > 1:
        return [line for row in rows for line in run(hexec, folder, [row], guarded)]
    if done.returncode != 0:
        return [f"{rows[0].text}: {done.stdout}{done.stderr}".strip()]
    out, failures, at = (folder / "out.bin").read_bytes(), [], 0
    for row in rows:
        failures += failures_of(row, out[at:], guarded)
        at += 8 * CASES * len(row.outputs)
    return failures


def failures_of(row, out, guarded):
    for thread, case in enumerate(row.cases):
        expected = row.expected_at(thread, guarded)
        for i, (name, kind) in enumerate(row.outputs):
            got = struct.unpack_from("<Q", out, 8 * (thread * len(row.outputs) + i))[0] & mask(kind)
            want = 0 if kind == "pred" and guarded and not thread & 1 else expected[i]
            if got not in want if hasattr(want, "__contains__") else got != want:
                given = ", ".join(f"{local} = {bits:#x}" for (local, _), bits in zip(row.inputs, case))
                return [f"{'guarded ' if guarded else ''}{row.text}: {name} is {got:#x}, not {int(want):#x}, of {given}"]
    return []


def check_legal(ptxas, folder, rows):
    for row in rows:
        text, _ = kernel_of("test", [row], False)
        (folder / "one.ptx").write_text(HEAD + text, encoding="utf-8")
        done = subprocess.run([ptxas, "-arch=sm_100a", folder / "one.ptx", "-o", folder / "one.cubin"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            print(f"{row.text}: {done.stderr.splitlines()[0]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hexec")
    parser.add_argument("--only", default="")
    parser.add_argument("--library", action="store_true", help="those, too, that need the device library")
    parser.add_argument("--ptxas")
    options = parser.parse_args()
    tables = (instructions_integer, instructions_float, instructions_narrow, instructions_video, instructions_memory,
              instructions_operands, *([instructions_library] if options.library else []))
    rows = [Row(*entry) for table in tables for entry in table.rows() if re.search(options.only, entry[0])]
    rows += [LaneRow(*entry) for entry in instructions_lanes.rows() if re.search(options.only, entry[0])]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.ptxas:
            check_legal(options.ptxas, folder, rows)
            return 0
        failures = []
        for first in range(0, len(rows), ROWS_OF_A_KERNEL):
            some = rows[first:first + ROWS_OF_A_KERNEL]
            for guarded in (False, True):
                failures += run(options.hexec, folder, some, guarded)
    print("\n".join(failures) or f"{len(rows)} instructions agree")
    return len(failures) > 0


sys.exit(main())
