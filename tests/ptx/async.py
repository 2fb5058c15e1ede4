#!/usr/bin/env python3
"""Copies to shared memory and barriers in it: async.py HEXEC. Kernels that nvcc made of async.cu, and some lines of PTX that
compilers seldom write; results are computed here."""
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
COMPILED = HERE / "async-O3-sm_90.ptx"
failures = []


def write_npy(path, values, bits=32):
    head = f"{{'descr': '<u{bits // 8}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    letter = {16: "H", 32: "I"}[bits]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}{letter}", *values))


def check(folder, name, module, threads, arguments, result, expected, options=()):
    """`result`: which argument is compared."""
    out = folder / "out.bin"
    given = [part for argument in arguments for part in ("--arg", argument)]
    done = subprocess.run([HEXEC, str(module), "--kernel", name, "--block", str(threads), *map(str, given), "--out", f"{result}={out}", "--quiet",
                           *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        failures.append(f"{name} {options}: exit {done.returncode}\n{done.stderr[-900:]}")
        return
    got = list(struct.unpack(f"<{len(expected)}I", out.read_bytes()))
    wrong = [i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]]
    if wrong:
        failures.append(f"{name} {options}: {len(wrong)} of {len(expected)} differ, element {wrong[0]} is {got[wrong[0]]:#x}, "
                        f"not {expected[wrong[0]]:#x}")


def check_compiled(folder, options):
    rng = random.Random(9)
    xs = [rng.getrandbits(32) for _ in range(7 * 64)]
    write_npy(folder / "x.npy", xs)
    for kept in range(1, 5):
        copied = xs[:256] + [0 if i % 2 else x for i, x in enumerate(xs[256:384])] + [x & (256**kept - 1) for x in xs[384:]]
        check(folder, "copies", COMPILED, 64, [f"@{folder / 'x.npy'}", kept, "u32:448"], 2, copied, options)
    check(folder, "ring", COMPILED, 64, [5, "u32:64"], 1, [((t - 5) % 64)**2 + 5 for t in range(64)], options)
    check(folder, "hand_over", COMPILED, 64, ["u32:160"], 0, [(t * 10 + i) * 3 for i in range(5) for t in range(32)], options)
    depth = 48
    a, b = ([[model.drawn(rng, "f16") for _ in range(depth)] for _ in range(64)] for _ in range(2))
    form = ("", "f16", "f16", "f32", "")
    product = [[model.element(form, row, column, 0) for column in b] for row in a]
    for name, matrix in (("a", a), ("b", b)):
        write_npy(folder / f"{name}.npy", [value for row in matrix for value in row], 16)
    check(folder, "multiply", COMPILED, 128, [f"@{folder / 'a.npy'}", f"@{folder / 'b.npy'}", "u32:4096", depth], 2,
          [value for row in product for value in row], options)


HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
FRAME = """.visible .entry {name}(.param .u64 p0, .param .u64 p1)
{{
.reg .b64 %x, %y, %at, %s<8>;
.reg .b32 %t, %r<8>;
.reg .pred %p<4>;
.shared .align 16 .b8 tile[1024];
.shared .align 8 .b64 bar;
ld.param.u64 %x, [p0];
ld.param.u64 %y, [p1];
mov.u32 %t, %tid.x;
mul.wide.u32 %at, %t, 16;
add.u64 %x, %x, %at;
add.u64 %y, %y, %at;
cvt.u32.u64 %r0, %at;
mov.u32 %r1, tile;
add.u32 %r0, %r0, %r1;
mov.u32 %r2, 0;
mov.u32 %r3, 0;
mov.u32 %r4, 0;
mov.u32 %r5, 0;
{body}
st.global.v4.b32 [%y], {{%r2, %r3, %r4, %r5}};
ret;
}}
"""
TAKE = "cp.async.wait_all;\nld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r0];"
START = "setp.eq.u32 %p0, %t, 0;\n@%p0 mbarrier.init.shared.b64 [bar], {count};\nbar.sync 0;\n"


def cut(words, size):
    return [word & (256**max(0, min(4, size - 4 * i)) - 1) for i, word in enumerate(words)]


# name: body, and what a thread has of its four words
LINES = {
    "sizes": ("cp.async.ca.shared.global.L2::128B [%r0], [%x], 16, %t;\n" + TAKE, cut),
    "none": ("setp.gt.u32 %p1, %t, 7;\ncp.async.cg.shared.global [%r0], [%x], 16, %p1;\n" + TAKE,
             lambda words, t: words if t <= 7 else [0] * 4),
    "guarded": ("setp.gt.u32 %p1, %t, 7;\nst.shared.v4.b32 [%r0], {%r2, %r2, %r2, %r2};\n"
                "@%p1 cp.async.ca.shared.global [%r0+8], [%x+8], 8;\n" + TAKE, lambda words, t: [0, 0, *words[2:]] if t > 7 else [0] * 4),
    "elected": ("setp.ge.u32 %p2, %t, 4;\nsetp.ne.u32 %p1, %t, %t;\n@%p2 elect.sync %r2|%p1, 0x1fff0;\nselp.u32 %r3, 1, 0, %p1;",
                lambda words, t: [4 * (t >= 4), int(t == 4), 0, 0]),
    # how many were pending when a thread came: threads come in order, unless it is drawn
    "counted": (START.format(count=17) + "mbarrier.arrive.shared.b64 %s1, [bar];\nmbarrier.pending_count.b64 %r5, %s1;",
                lambda words, t: [0, 0, 0, 17 - t]),
    # 17 arrive, with bytes that are complete later; the parity of the phase that is waited for is 0
    "bytes": (START.format(count=17) + "@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 64;\n"
              "mbarrier.arrive.shared.b64 %s1, [bar];\nbar.sync 0;\n"
              "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\nselp.u32 %r2, 1, 0, %p1;\nbar.sync 0;\n"
              "@%p0 mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [bar], 64;\nbar.sync 0;\n"
              "mbarrier.test_wait.shared.b64 %p2, [bar], %s1;\nselp.u32 %r3, 1, 0, %p2;\n"
              "mbarrier.try_wait.parity.shared.b64 %p3, [bar], 1;\nselp.u32 %r4, 1, 0, %p3;",
              lambda words, t: [0, 1, 0, 0]),
    # of 17 those from 8 on leave: the next phase is over when 8 have arrived
    "leaving": (START.format(count=17) + "setp.ge.u32 %p1, %t, 8;\n@%p1 mbarrier.arrive_drop.shared.b64 _, [bar];\n"
                "@!%p1 mbarrier.arrive.noComplete.shared.b64 %s1, [bar], 1;\nbar.sync 0;\n"
                "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\nselp.u32 %r2, 1, 0, %p2;\nbar.sync 0;\n"
                "cp.async.mbarrier.arrive.shared.b64 [bar];\n@!%p1 cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nbar.sync 0;\n"
                "mbarrier.test_wait.parity.shared.b64 %p3, [bar], 1;\nselp.u32 %r3, 1, 0, %p3;\nmbarrier.inval.shared.b64 [bar];",
                lambda words, t: [1, 1, 0, 0]),
}


def check_lines(folder, name, options):
    body, function = LINES[name]
    rng = random.Random(name)
    words = [[rng.getrandbits(32) for _ in range(4)] for _ in range(17)]
    write_npy(folder / "x.npy", [word for four in words for word in four])
    (folder / "lines.ptx").write_text(HEAD + FRAME.format(name=name, body=body), encoding="utf-8")
    check(folder, name, folder / "lines.ptx", 17, [f"@{folder / 'x.npy'}", "u32:68"], 1,
          [value for t, four in enumerate(words) for value in function(four, t)], options)


with tempfile.TemporaryDirectory() as place:
    for choice in ((), ("--plain", "--seed", "5")):
        check_compiled(pathlib.Path(place), choice)
        for each in LINES:
            if each != "counted" or not choice:
                check_lines(pathlib.Path(place), each, choice)
print("\n".join(failures) or "all agree")
sys.exit(len(failures) > 0)
