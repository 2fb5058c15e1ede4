#!/usr/bin/env python3
"""Kernels that nvcc compiled, in hexec: run.py HEXEC REFERENCE. Results must be those that the host's compiler
gives the same source, and those that can be computed by hand; values that do not fit into registers survive."""
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEXEC, REFERENCE = sys.argv[1], sys.argv[2]
KERNELS = ("divisions wide_products local_memory floats structures narrow_types loops hashes matrices switches").split()
CALLS = ("recursion mutual_recursion queens structures_by_value many_parameters pointers calls_in_loops deep_recursion").split()
LIBRARY = ("float_functions", "double_functions", "integer_functions")
failures = []


def hexec(*arguments):
    return subprocess.run([HEXEC, *map(str, arguments)], capture_output=True, text=True, check=False)


def write_npy(path, values):
    head = b"{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}i", *values))


def check(name, good, done):
    if not good:
        failures.append(f"{name}: exit {done.returncode}\n{done.stdout[-600:]}{done.stderr[-900:]}")


def check_scalar(folder, module, kernel, options):
    out = folder / "out.bin"
    done = hexec(HERE / module, "--kernel", f"kernel_{kernel}", "--grid", 2, "--block", 128, "--arg", f"@{folder / 'x.npy'}",
                 "--arg", "i32:256", "--out", f"1={out}", "--quiet", *options)
    check(f"{module} {kernel} {options}", done.returncode == 0 and out.read_bytes() == (folder / f"{kernel}.bin").read_bytes(), done)


def check_printed(kernel, printed, *options):
    done = hexec(HERE / "parallel-O3-sm_90.ptx", "--kernel", kernel, *options)
    check(kernel, done.returncode == 0 and printed in done.stdout.splitlines(), done)


def check_runtime(kernel, exit_code, expected, *options):
    """What a kernel of runtime.cu prints, or the words of its fault; both builds do the same."""
    for module in ("runtime-O3-sm_90.ptx", "runtime-G-sm_75.ptx"):
        done = hexec(HERE / module, "--kernel", kernel, "--block", 6, "--quiet", *options)
        check(f"{module} {kernel}", done.returncode == exit_code and expected in done.stdout + done.stderr, done)


def check_all_of_runtime():
    lines = [f"{i}: {'odd' if i % 2 else 'even'} is {i / 2:.3f} and {i << 33}, {chr(97 + i)} ff {i / 6:.1e} %" for i in range(6)]
    lines.insert(3, "two")
    check_runtime("prints", 0, "\n".join(lines) + "\n", "--arg", "i32:6:iota")
    check_runtime("asserts", 0, "1 = 0 1 2 3 4 5", "--arg", "i32:6:iota", "--arg", "i32:6", "--print", 1)
    check_runtime("asserts", 3, "runtime.cu:46: void asserts(const int *, int *): assertion 'x[threadIdx.x] < 9' failed",
                  "--arg", "i32:6:9", "--arg", "i32:6")
    check_runtime("shapes", 0, "1 = 0 1 4 21 16 25", "--arg", "i32:6:iota", "--arg", "i32:6", "--print", 1)
    counts = [[(i + turn) % 9 + 1 for turn in range(50)] for i in range(6)]
    sums = [sum(i * n + n * (n - 1) // 2 for n in counts[i]) for i in range(6)]
    check_runtime("allocates", 0, "1 = " + " ".join(map(str, sums)), "--arg", "i32:6:iota", "--arg", "i32:6", "--print", 1)
    check_runtime("fills_the_heap", 0, "0 = 32", "--grid", 1, "--block", 1, "--arg", "i32:1", "--print", 0)
    check_runtime("calls_table", 0, "1 = 1 2 3 4 5 6", "--arg", "i32:6:1", "--arg", "i32:6", "--print", 1)
    check_runtime("calls_table", 3, "the function pointer is NULL", "--arg", "i32:6:3", "--arg", "i32:6")
    check_runtime("recurses", 0, "1 = 3 3 3 3 3 3", "--arg", 5, "--arg", "i32:6", "--print", 1)
    check_runtime("recurses", 3, "calls nested too deep", "--arg", 300, "--arg", "i32:6")
    check_runtime("fills", 3, "stack overflow", "--arg", 200, "--arg", "i32:6")


def check_functions(folder):
    """Functions that people wrote: called by name, most of them inlined, and through pointers, none of them."""
    expected = {"several_results": [17 * i // 5 * 100 + 17 * i % 5 for i in range(8)],
                "structures": [3 * i + 62 for i in range(8)],
                "parts_of_a_scalar": [i + 1000 for i in range(8)],
                "tables": [10, 100, 33, 13, 14, 500, 7777, 7777],
                "barriers": [5, 5] + [1000 + 4 * i for i in range(2, 8)],
                "aliases": [i ** 3 + 100 for i in range(8)],
                "overwrites": [(i + 51) * 100 + i + 1 for i in range(8)],
                "turns": [((i + 500) * 1000 + i + 1) * 100 + i for i in range(8)]}
    text = (HERE / "functions.ptx").read_text(encoding="utf-8")
    by_pointer = re.sub(r"(@%p1 )?call (\(.*?\), )?(?!power)(\w+), (\(.*?\));", r"mov.u64 %rd8, \3; \1call \2%rd8, \4;", text)
    (folder / "by_pointer.ptx").write_text(by_pointer, encoding="utf-8")
    for path in (HERE / "functions.ptx", folder / "by_pointer.ptx"):
        for kernel, values in expected.items():
            done = hexec(path, "--kernel", kernel, "--block", 8, "--arg", "u64:8" if kernel == "structures" else "u32:8",
                         "--print", 0, "--quiet")
            check(f"{path.name} {kernel}", done.returncode == 0 and f"0 = {' '.join(map(str, values))}" in done.stdout, done)


def check_tables():
    """Variables whose initial values are addresses, in global and constant memory, and as bytes of packed structures."""
    for module in ("tables-O3-sm_80.ptx", "tables-G-sm_75.ptx"):
        for kernel, count, printed in (("walk", 9, "1001 2200 4004 18 6 0 13 970009 980418"), ("change", 2, "205 18")):
            for options in ((), ("--seed", "3"), ("--plain",)):
                done = hexec(HERE / module, "--kernel", kernel, "--block", 32 if kernel == "walk" else 1, "--arg", f"i32:{count}",
                             "--print", 0, *options)
                check(f"{module} {kernel} {options}", done.returncode == 0 and f"0 = {printed}" in done.stdout.splitlines(), done)


def check_declared():
    """.extern beside definitions, bytes of addresses, barriers of clusters and of a number in a register."""
    for kernel, block, printed in (("declared", 1, "7 3 60 61"), ("bytes", 8, "77 4 0 0"), ("votes", 64, "116 116 116 116")):
        for options in ((), ("--seed", "3"), ("--plain",)):
            done = hexec(HERE / "declared.ptx", "--kernel", kernel, "--block", block, "--arg", f"u32:{max(block, 4)}", "--print", "0:0:4",
                         *options)
            check(f"{kernel} {options}", done.returncode == 0 and f"{printed}" in done.stdout, done)


def module_of_pointers(count):
    """A table of functions that add their number to 1000, and of one with other parameters behind them."""
    lines = [".version 7.0", ".target sm_70", ".address_size 64"]
    lines += [f".func (.param .u32 r) f{i}(.param .u32 a) {{ .reg .u32 t; ld.param.u32 t, [a]; add.u32 t, t, {i}; st.param.u32 [r], t; ret; }}"
              for i in range(count)]
    lines += [".func (.param .u32 r) other(.param .u32 a, .param .u32 b) { ret; }",
              f".global .u64 table[{count + 1}] = {{{', '.join(f'f{i}' for i in range(count))}, other}};",
              ".visible .entry calls(.param .u64 out, .param .u32 which) {", ".reg .u64 o, p; .reg .u32 a, w; .param .u32 x; .param .u32 y;",
              "ld.param.u64 o, [out]; ld.param.u32 w, [which]; mov.u64 p, table; mad.wide.u32 p, w, 8, p; ld.global.u64 p, [p];",
              "st.param.u32 [x], 1000;", "kind: .callprototype (.param .u32 _) _ (.param .u32 _);", "call (y), p, (x), kind;",
              "ld.param.u32 a, [y]; st.global.u32 [o], a; ret; }"]
    return "\n".join(lines) + "\n"


def check_pointers(folder):
    path = folder / "pointers.ptx"
    for count, which, exit_code, said in ((253, 252, 0, "0 = 1252"), (3, 3, 3, "a function with other parameters than the call"),
                                          (254, 253, 0, "0 = 1253"), (255, 128, 0, "0 = 1128"), (1000, 999, 0, "0 = 1999"),
                                          (600, 600, 3, "a function with other parameters than the call")):
        path.write_text(module_of_pointers(count), encoding="utf-8")
        done = hexec(path, "--arg", "u32:1", "--arg", which, "--print", 0, "--quiet")
        check(f"{count} pointers", done.returncode == exit_code and said in done.stdout + done.stderr, done)


def many_live_values(registers, predicates):
    """A kernel that reads all its values after it has written the last."""
    lines = [".version 7.0", ".target sm_70", ".address_size 64", ".visible .entry live(.param .u64 out)", "{",
             f".reg .b32 %r<{registers + 2}>;", f".reg .pred %p<{predicates}>;", ".reg .b64 %rd<3>;",
             "ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    lines += [f"mad.lo.u32 %r{i}, %r0, {i}, {i * i};" for i in range(1, registers)]
    lines += [f"setp.gt.u32 %p{i}, %r0, {i};" for i in range(predicates)]
    lines += [f"mov.u32 %r{registers}, 0;"]
    lines += [f"xor.b32 %r{registers}, %r{registers}, %r{i};" for i in range(1, registers)]
    lines += [f"@%p{i} add.u32 %r{registers}, %r{registers}, {1 << i % 20};" for i in range(predicates)]
    lines += ["mul.wide.u32 %rd2, %r0, 4;", "add.u64 %rd2, %rd2, %rd1;", f"st.global.u32 [%rd2], %r{registers};", "ret;", "}"]
    expected = []
    for thread in range(64):
        value = 0
        for i in range(1, registers):
            value ^= thread * i + i * i
        value += sum(1 << i % 20 for i in range(predicates) if thread > i)
        expected.append(value % 2**32)
    return "\n".join(lines) + "\n", struct.pack("<64I", *expected)


def check_spilling(folder, registers, predicates):
    text, expected = many_live_values(registers, predicates)
    path, out = folder / "live.ptx", folder / "live.bin"
    path.write_text(text, encoding="utf-8")
    done = hexec(path, "--block", 64, "--arg", "u32:64", "--out", f"0={out}", "--quiet")
    check(f"{registers} registers, {predicates} predicates", done.returncode == 0 and out.read_bytes() == expected, done)


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    draw = random.Random(3)
    xs = [draw.randint(-100000, 100000) for _ in range(256)]
    write_npy(work / "x.npy", xs)
    (work / "x.bin").write_bytes(struct.pack("<256i", *xs))
    subprocess.run([REFERENCE, work], check=True)
    for each in KERNELS:
        for built in ("scalar-O3-sm_90.ptx", "scalar-G-sm_75.ptx", "scalar-O0-sm_120.ptx"):
            check_scalar(work, built, each, ())
        check_scalar(work, "scalar-O0-sm_120.ptx", each, ("--plain", "--seed", "5"))
    for each in CALLS:
        for built in ("calls-O3-sm_90.ptx", "calls-G-sm_75.ptx", "calls-clang-O0.ptx"):
            check_scalar(work, built, each, ())
        check_scalar(work, "calls-clang-O0.ptx", each, ("--plain", "--seed", "5"))
    for each in LIBRARY:
        check_scalar(work, "libdevice-clang-O1.ptx", each, ())
    check_all_of_runtime()
    check_functions(work)
    check_tables()
    check_declared()
    check_pointers(work)
    check_printed("saxpy", "3[0..3] = 1 3 5 7", "--grid", 4, "--block", 256, "--arg", 1000, "--arg", "2.0", "--arg", "f32:1000:iota",
                  "--arg", "f32:1000:1", "--print", "3:0:4")
    check_printed("reduce", "1 = 512", "--grid", 2, "--block", 64, "--dynamic-shared", 256, "--arg", "f32:512:1", "--arg", "f32:1",
                  "--print", 1)
    check_printed("warps", "0[0..3] = 553 562 652 1552", "--block", 64, "--arg", "i32:64", "--print", "0:0:4")
    for size in ((40, 5), (300, 5), (40, 40), (400, 30)):
        check_spilling(work, *size)
print("\n".join(failures) or "all agree")
sys.exit(len(failures) > 0)
