#!/usr/bin/env python3
"""Modules whose addresses have 32 bits: narrow.py HEXEC. Pointers of every space, generic ones, those that lie in memory or
are initial values, and what is refused."""
import pathlib
import subprocess
import sys
import tempfile

HEXEC = sys.argv[1]
HEAD = ".version 2.3\n.target sm_20\n.address_size 32\n"
failures = []

VARIABLES = """
.const .u32 table[4] = {70, 71, 72, 73};
.global .u32 numbers[4] = {10, 11, 12, 13};
.global .u32 pointers[5] = {numbers, numbers+4, generic(numbers)+8, generic(table)+4, table};
.global .align 4 .u8 packed[8] = {0xFF(numbers+12), 0xFF00(numbers+12), 0xFF0000(numbers+12), 0xFF000000(numbers+12), 1, 2, 3, 4};
"""

# Each kernel's out[0..] is what Python's numbers say. `in` holds 100, 101, ...
KERNELS = {
    "params": ("ld.param.u32 a, [in]; ld.param.u32 b, [out]; ld.global.u32 x, [a+8]; st.global.u32 [b], x; ld.u32 x, [a+12]; "
               "st.u32 [b+4], x; setp.ne.u32 p, a, 0; selp.u32 x, 1, 0, p; st.global.u32 [b+8], x; add.u32 a, a, 40; "
               "ld.global.v2.u32 {x, y}, [a+-32]; st.global.v2.u32 [b+16], {x, y}", [102, 103, 1, 0, 102, 103]),
    "in_memory": ("ld.param.u32 a, [in]; ld.param.u32 b, [out]; add.u32 a, a, 20; st.global.u32 [b+8], a; ld.global.u32 c, [b+8]; "
                  "ld.global.u32 x, [c]; st.global.u32 [b], x; ld.u32 x, [c+4]; st.global.u32 [b+4], x; mov.u32 x, 0; st.u32 [b+8], x",
                  [105, 106, 0]),
    "variables": ("ld.param.u32 b, [out]; mov.u32 a, numbers; ld.global.u32 x, [a+4]; st.global.u32 [b], x; mov.u32 a, numbers+8; "
                  "ld.u32 x, [a]; st.global.u32 [b+4], x; ld.global.u32 x, [numbers+12]; st.global.u32 [b+8], x; "
                  "cvta.global.u32 a, numbers; cvta.to.global.u32 c, a; ld.global.u32 x, [c]; st.global.u32 [b+12], x; "
                  "add.u32 a, 4, numbers; ld.global.u32 x, [a]; st.global.u32 [b+16], x", [11, 12, 13, 10, 11]),
    "initial": ("ld.param.u32 b, [out]; mov.u32 d, pointers; ld.global.u32 a, [d]; ld.global.u32 x, [a]; st.global.u32 [b], x; "
                "ld.global.u32 a, [d+4]; ld.u32 x, [a]; st.global.u32 [b+4], x; ld.global.u32 a, [d+8]; ld.u32 x, [a]; "
                "st.global.u32 [b+8], x; ld.global.u32 a, [d+12]; ld.u32 x, [a]; st.global.u32 [b+12], x; ld.global.u32 a, [d+16]; "
                "ld.const.u32 x, [a+8]; st.global.u32 [b+16], x; ld.global.u32 a, [packed]; ld.u32 x, [a]; st.global.u32 [b+20], x",
                [10, 11, 12, 71, 72, 13]),
    "shared": ("ld.param.u32 b, [out]; mov.u32 a, tile; st.shared.u32 [a+4], 5; cvta.shared.u32 c, a; ld.u32 x, [c+4]; "
               "st.global.u32 [b], x; st.u32 [c], 6; ld.shared.u32 x, [tile]; st.global.u32 [b+4], x; cvta.to.shared.u32 d, c; "
               "sub.u32 x, d, a; st.global.u32 [b+8], x; atom.add.u32 x, [c], 3; st.global.u32 [b+12], x; ld.shared.u32 x, [d]; "
               "st.global.u32 [b+16], x; red.shared.max.u32 [a], 90; ld.u32 x, [c]; st.global.u32 [b+20], x", [5, 6, 0, 6, 9, 90]),
    "local": ("ld.param.u32 b, [out]; mov.u32 a, stack; st.local.u32 [a], 8; cvta.local.u32 c, a; ld.u32 x, [c]; st.global.u32 [b], x; "
              "st.u32 [c+4], 9; ld.local.u32 x, [stack+4]; st.global.u32 [b+4], x; cvta.to.local.u32 d, c; ld.local.u32 x, [d]; "
              "st.global.u32 [b+8], x", [8, 9, 8]),
    "constant": ("ld.param.u32 b, [out]; mov.u32 a, table; ld.const.u32 x, [a+4]; st.global.u32 [b], x; cvta.const.u32 c, a; "
                 "ld.u32 x, [c+8]; st.global.u32 [b+4], x; cvta.to.const.u32 d, c; ld.const.u32 x, [d+12]; st.global.u32 [b+8], x",
                 [71, 72, 73]),
    "spaces": ("ld.param.u32 b, [out]; cvta.shared.u32 a, tile; cvta.local.u32 c, stack; cvta.const.u32 d, table; "
               + " ".join(f"isspacep.{space} p, {of}; selp.u32 x, 1, 0, p; st.global.u32 [b+{4 * i}], x;" for i, (space, of) in enumerate(
                   (space, of) for of in "acdb" for space in ("shared", "local", "const", "global"))) + " mov.u32 x, 0",
               [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
    "atomics": ("ld.param.u32 b, [out]; atom.global.add.u32 x, [b], 4; atom.add.u32 y, [b], 5; st.global.u32 [b+4], x; "
                "st.global.u32 [b+8], y; red.global.or.b32 [b+12], 7; atom.cas.b32 x, [b+12], 7, 8; st.global.u32 [b+16], x; "
                "atom.global.exch.b64 w, [b+24], 9", [9, 0, 4, 8, 7, 0, 9, 0]),
    "guarded": ("ld.param.u32 b, [out]; setp.eq.u32 p, b, 0; @p ld.u32 x, [b]; @!p st.u32 [b], 3; @p st.global.u32 [b+4], 4; "
                "cvta.shared.u32 c, tile; @p mov.u32 c, b; @!p st.u32 [c], 6; ld.shared.u32 x, [tile]; st.global.u32 [b+8], x", [3, 0, 6]),
    "branches": ("ld.param.u32 b, [out]; cvta.shared.u32 c, tile; mov.u32 x, %tid.x; st.shared.u32 [tile], 44; st.shared.u32 [tile+4], 45; "
                 "and.b32 y, x, 1; setp.eq.u32 p, y, 0; mov.u32 d, numbers; selp.u32 d, c, d, p; ld.u32 y, [d+4]; mad.lo.u32 b, x, 4, b; "
                 "st.u32 [b], y", [45, 11, 45, 11]),
    "calls": ("ld.param.u32 b, [out]; ld.param.u32 a, [in]; mov.u32 d, twice; st.param.u32 [from], a; "
              "call (to), twice, (from); ld.param.u32 x, [to]; st.global.u32 [b], x; add.u32 a, a, 4; st.param.u32 [from], a; "
              "kind: .callprototype (.param .u32 _) _ (.param .u32 _); call (to), d, (from), kind; ld.param.u32 x, [to]; "
              "st.global.u32 [b+4], x", [200, 202]),
    "prints": ("ld.param.u32 b, [out]; st.local.u32 [stack], 17; cvta.local.u32 c, stack; cvta.const.u32 d, text; st.param.u32 [from], d; "
               "st.param.u32 [values], c; call (to), vprintf, (from, values); st.global.u32 [b], 1", [1]),
    "copies": ("ld.param.u32 b, [out]; ld.param.u32 a, [in]; mov.u32 c, tile; cp.async.ca.shared.global [c], [a+16], 16; cp.async.wait_all; "
               "ld.shared.u32 x, [tile+8]; st.global.u32 [b], x; prefetch.global.L2 [a]", [106]),
    "wide_registers": ("ld.param.u32 b, [out]; mov.u64 w, numbers; ld.global.u32 x, [w]; st.global.u32 [b], x; cvta.global.u64 w, w; "
                       "ld.u32 x, [w+4]; st.global.u32 [b+4], x", [10, 11]),
}
FUNCTIONS = """
.extern .func (.param .u32 r) vprintf(.param .u32 format, .param .u32 values);
.const .align 1 .b8 text[7] = {37, 100, 32, 111, 107, 10, 0};
.func (.param .u32 r) twice(.param .u32 at) { .reg .u32 a, x; ld.param.u32 a, [at]; ld.u32 x, [a]; add.u32 x, x, x; st.param.u32 [r], x; ret; }
"""


def module(names, head=HEAD):
    text = head + VARIABLES + FUNCTIONS
    for name in names:
        text += (f".visible .entry {name}(.param .u32 in, .param .u32 out) {{ .reg .u32 a, b, c, d, x, y; .reg .u64 w; .reg .pred p; "
                 ".shared .align 16 .u32 tile[16]; .local .u32 stack[2]; .param .u32 from; .param .u32 to; .param .u32 values;\n"
                 + KERNELS[name][0].replace("; ", ";\n") + "; ret; }\n")
    return text


def hexec(*arguments):
    return subprocess.run([HEXEC, *map(str, arguments)], capture_output=True, text=True, check=False)


def check(name, good, done):
    if not good:
        failures.append(f"{name}: exit {done.returncode}\n{done.stdout[-600:]}{done.stderr[-900:]}")


def check_kernels(path):
    """`in` holds 100, 101, ...; each is run in other ways, too, where threads differ or write the same."""
    for name, (_, expected) in KERNELS.items():
        for threads, options in ((1, ()), (1, ("--plain",)), (4, ()), (4, ("--tier", "compiled"))):
            done = hexec(path, "--kernel", name, "--block", threads if name in ("constant", "initial", "branches") else 1, "--arg",
                         f"@{path.parent / 'in.npy'}", "--arg", "u32:32", "--print", 1, "--quiet", *options)
            wanted = expected[:1] if name == "branches" and threads == 1 else expected
            wanted = " ".join(map(str, wanted + [0] * (32 - len(wanted))))
            check(f"{name} {threads} {options}", done.returncode == 0 and f"1 = {wanted}" in done.stdout.splitlines(), done)
    done = hexec(path, "--kernel", "prints", "--arg", "u32:1", "--arg", "u32:1", "--quiet")
    check("what is printed", done.stdout == "17 ok\n", done)


def check_document(folder):
    """A document's buffers are pointers by their names, by arguments and in launches; init and import show them."""
    head = "program: narrow\nsource: narrow.ptx\nkernel: params\nbuffers:\n  - {name: in, type: u32, count: 16, fill: iota}\n"
    head += "  - {name: out, type: u32, count: 8}\nexpect:\n  - {buffer: out, values: [2, 3, 1, 0, 2, 3, 0, 0]}\n"
    for name, tail in (("names", "launch: {grid: [1], block: [1]}\n"), ("args", "args: [in, out]\nlaunch: {grid: [1], block: [1]}\n"),
                       ("run", "run:\n  - {kernel: params, grid: [1], block: [1], args: [in, out]}\n")):
        (folder / f"{name}.yaml").write_text(head + tail, encoding="utf-8")
        done = hexec(folder / f"{name}.yaml", "--verify")
        check(f"document with {name}", done.returncode == 0, done)
    path = folder / "again.yaml"
    done = hexec("import", folder / "args.yaml", "-o", path)
    check("import", done.returncode == 0 and "narrow($" in path.read_text(encoding="utf-8"), done)
    done = hexec(path, "--verify")
    check("what was imported", done.returncode == 0, done)
    done = hexec("asm", path, "-o", folder / "again.hxb")
    check("asm", done.returncode == 0, done)
    done = hexec(folder / "again.hxb", "--verify")
    check("what was assembled", done.returncode == 0, done)
    done = hexec("init", folder / "narrow.ptx", "--kernel", "params")
    check("init", done.returncode == 0 and "buffers" in done.stdout, done)


def check_wrong(folder):
    path = folder / "wrong.ptx"
    wide = module([], HEAD.replace("32\n", "64\n")).partition("\n.const")[0]
    entry = ".visible .entry k(.param .u32 out) { .reg .u32 a; .reg .u64 b; %s; ret; }\n"
    for text, argument, said in (
            (wide + "\n.global .u32 x; .global .u32 y = x;" + entry % "mov.u32 a, 0", "u32:1", "has more bits than the variable's type"),
            (wide + entry % "cvta.shared.u32 a, 5", 1, "a generic address has 64 bits, and 32 in a module of .address_size 32"),
            (wide + entry % "mov.u32 a, 0", "u32:1", "the parameter is no pointer"),
            (HEAD + entry % "ld.param.u32 a, [out]; ld.global.u32 a, [a+4]", "u32:1", "access outside every buffer"),
            (HEAD + entry % "mov.u32 a, 0; ld.u32 a, [a]", "u32:1", "access outside every buffer")):
        path.write_text(text, encoding="utf-8")
        done = hexec(path, "--arg", argument, "--quiet")
        check(f"wrong: {said}", done.returncode != 0 and said in done.stdout + done.stderr, done)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        numbers = b"".join((100 + i).to_bytes(4, "little") for i in range(16))
        head = b"{'descr': '<u4', 'fortran_order': False, 'shape': (16,), }"
        head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
        (folder / "in.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + numbers)
        (folder / "narrow.ptx").write_text(module(KERNELS), encoding="utf-8")
        check_kernels(folder / "narrow.ptx")
        check_document(folder)
        check_wrong(folder)
    for failure in failures:
        print(failure)
    print(f"{len(KERNELS)} kernels, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
