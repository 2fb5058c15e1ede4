#!/usr/bin/env python3
"""Several modules of PTX in one text, as a linker has them: linking.py HEXEC. Each row has modules, whose kernels store what they
see of f() and v, and what each kernel stores by the PTX ISA's "Linking Directives", or what is said instead."""
import pathlib
import re
import subprocess
import sys
import tempfile

HEXEC = sys.argv[1]
HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry {}(.param .u64 o) {{ .reg .b64 %rd<3>; .reg .b32 %r<3>;
 ld.param.u64 %rd1, [o]; mov.u32 %r1, 0; mov.u32 %r2, 0; {}
 st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; ret; }}
"""
CALL, LOAD = "call (%r1), f;", "ld.global.u32 %r2, [v];"


def f(linkage, value=None):
    return f"{linkage} .func (.reg .b32 r) f()" + (f" {{ mov.u32 r, {value}; ret; }}" if value else ";") + "\n"


def v(linkage, value=None, size=""):
    return f"{linkage} .global .u32 v{size}" + (f" = {value}" if value else "") + ";\n"


def bytes_of(size):
    return f".extern .global .align 4 .b8 v[{size}];\n"


def k(name, uses=CALL):
    return KERNEL.format(name, uses)


def alias(linkage):
    """f as another name of a function that returns 1"""
    return ".visible .func (.reg .b32 r) one() { mov.u32 r, 1; ret; }\n" + f(linkage) + ".alias f, one;\n"


BOTH = CALL + LOAD
DYNAMIC = ".shared .b32 t;\n.extern .shared .align {} .b8 s[];\n" + k("{}", "mov.u32 %r1, s; and.b32 %r1, %r1, 15; mov.u32 %r2, t;").replace(
    "{ ", "{{ ").replace(" }", " }}")
ROWS = (
    # an alias is a definition
    ([alias(".weak") + k("a"), f(".visible", 2) + k("b")], {"a": (2, 0), "b": (2, 0)}),
    ([f(".visible", 2) + k("a"), alias(".weak") + k("b")], {"a": (2, 0), "b": (2, 0)}),
    ([alias(".weak") + k("a"), f(".weak", 2) + k("b")], {"a": (1, 0), "b": (1, 0)}),
    ([alias(".visible") + k("a"), f(".visible", 2)], "HX2101.*has a body already"),
    # all rely on their alignment
    ([DYNAMIC.format(16, "a"), DYNAMIC.format(4, "b")], {"a": (0, 0)}),
    ([DYNAMIC.format(4, "a"), DYNAMIC.format(16, "b")], {"a": (0, 0)}),
    # a module's own names beside those that others share
    ([f(".visible", 3) + v(".visible", 33) + k("a", BOTH), f("", 2) + v("", 22) + k("b", BOTH)], {"a": (3, 33), "b": (2, 22)}),
    ([f("", 2) + v("", 22) + k("a", BOTH), f(".visible", 3) + v(".visible", 33) + k("b", BOTH)], {"a": (2, 22), "b": (3, 33)}),
    ([f(".extern") + v(".extern") + k("a", BOTH), f("", 2) + v("", 22) + k("b", BOTH), f(".visible", 3) + v(".visible", 33) + k("c", BOTH)],
     {"a": (3, 33), "b": (2, 22), "c": (3, 33)}),
    ([f("", 1) + k("a"), f("", 2) + k("b"), f("", 3) + k("c")], {"a": (1, 0), "b": (2, 0), "c": (3, 0)}),
    ([f("", 1) + k("b"), f(".extern") + k("a")], "HX2103.*not in this module"),  # nobody has it for others
    ([f(".visible", 1) + k("a"), k("b")], "HX2101.*nothing is called 'f'"),
    ([v(".visible", 1) + k("a", LOAD), k("b", LOAD)], "HX2101.*nothing is called 'v'"),
    # declared and defined
    ([f(".visible", 4) + k("a"), f(".extern") + k("b")], {"a": (4, 0), "b": (4, 0)}),
    ([f(".visible", 4) + f(".visible") + k("a")], {"a": (4, 0)}),
    ([f("") + k("a") + f(".visible", 4), f(".extern") + k("b")], {"a": (4, 0), "b": (4, 0)}),
    ([f(".extern") + k("a"), f("") + k("b") + f(".visible", 4)], {"a": (4, 0), "b": (4, 0)}),
    ([f("") + k("a") + f("", 4), f("", 5) + k("b")], {"a": (4, 0), "b": (5, 0)}),
    ([f("") + k("a"), f(".visible", 4)], {"a": (4, 0)}),
    ([f(".visible", 4), f("") + k("a")], {"a": (4, 0)}),
    # weak ones
    ([f(".weak", 1) + k("a"), f(".visible", 2) + k("b")], {"a": (2, 0), "b": (2, 0)}),
    ([f(".visible", 2) + k("a"), f(".weak", 1) + k("b")], {"a": (2, 0), "b": (2, 0)}),
    ([f(".weak", 1) + k("a"), f(".weak", 2) + k("b")], {"a": (1, 0), "b": (1, 0)}),
    ([f(".weak", 1) + k("a"), f(".weak", 2) + k("b"), f(".visible", 3)], {"a": (3, 0), "b": (3, 0)}),
    ([f(".weak", 1) + k("a"), f("", 2) + k("b")], {"a": (1, 0), "b": (2, 0)}),
    ([v(".weak", 1) + k("a", LOAD), v(".visible", 2) + k("b", LOAD)], {"a": (0, 2), "b": (0, 2)}),
    ([v(".visible", 2) + k("a", LOAD), v(".weak", 1) + k("b", LOAD)], {"a": (0, 2), "b": (0, 2)}),
    ([v(".extern") + k("a", LOAD), v(".weak", 1), v(".visible", 2)], {"a": (0, 2)}),
    ([v(".weak", 1), v(".visible", "{1, 2}", "[2]")], "HX2101.*another type or size"),
    # nvcc declares what other files define as bytes
    ([bytes_of(4) + k("a", LOAD), v(".visible", 2) + k("b", LOAD)], {"a": (0, 2), "b": (0, 2)}),
    ([v(".visible", 2) + k("a", LOAD), bytes_of(4) + k("b", LOAD)], {"a": (0, 2), "b": (0, 2)}),
    ([bytes_of(8) + k("a", LOAD), v(".visible", 2)], "HX2101.*another type or size"),
    ([k("a", "mov.u32 %r1, 1;"), k("a", "mov.u32 %r1, 2;")], "HX2101.*has a body already"),
    ([k("a", "mov.u32 %r1, 1;").replace(".visible", ".weak"), k("a", "mov.u32 %r1, 2;").replace(".visible", ".weak")], {"a": (1, 0)}),
    ([f(".visible", 1), f(".visible", 2) + k("a")], "HX2101.*has a body already"),
    ([v(".visible", 1), v(".visible", 2) + k("a", LOAD)], "HX2101.*declared a second time"),
    ([f(".visible", 1), v(".visible", 2).replace("v", "f", 2).replace(".fisible", ".visible") + k("a", "")], "HX2101.*declared a second time"),
    # common ones: the largest, and the one with values
    ([v(".common") + k("a", LOAD), v(".common", 7) + k("b", LOAD)], {"a": (0, 7), "b": (0, 7)}),
    ([v(".common", 7) + k("a", LOAD), v(".common") + k("b", LOAD)], {"a": (0, 7), "b": (0, 7)}),
    ([v(".common") + k("a", "ld.global.u32 %r2, [v+4];"), v(".common", "{7, 8}", "[2]")], {"a": (0, 8)}),
    ([v(".common", size="[2]") + k("a", LOAD), v(".common", 7)], "HX2101.*larger than where it has initial values"),
    ([v(".common") + k("a", LOAD), v(".visible", 9)], {"a": (0, 9)}),
    # the device library is no module: its names are for all, and nobody's own
    ([".func (.param .b32 r) __nv_abs(.param .b32 x);\n" + k("a", "{ .param .b32 x, y; st.param.b32 [x], -5; call (y), __nv_abs, (x); ld.param.b32 %r1, [y]; }"),
      ".func (.reg .b32 r) __nv_abs(.reg .b32 x) { mov.u32 r, 6; ret; }\n" + k("b", "call (%r1), __nv_abs, (%r1);")], {"a": (5, 0), "b": (6, 0)}),
)


def run(path, kernel):
    done = subprocess.run([HEXEC, "run", path, "--kernel", kernel, "--arg", "u32:2"], capture_output=True, text=True, check=False, timeout=60)
    found = re.search(r"^0 = (\d+) (\d+)$", done.stdout, re.M)
    return tuple(map(int, found.groups())) if found and not done.returncode else done.stderr


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (modules, wanted) in enumerate(ROWS):
            path = pathlib.Path(folder, f"row{number}.ptx")
            path.write_text("".join(HEAD + module for module in modules), encoding="ascii")
            for kernel in wanted if isinstance(wanted, dict) else ("a",):
                got = run(path, kernel)
                right = got == wanted[kernel] if isinstance(wanted, dict) else isinstance(got, str) and re.search(wanted, got)
                failures += [] if right else [f"row {number}, kernel {kernel}: {wanted}, and there is {got}\n{path.read_text()}"]
    sys.exit("\n".join(failures) or 0)


main()
