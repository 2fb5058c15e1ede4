#!/usr/bin/env python3
"""Each function of OpenCL C is there: names.py CLANG LIBRARY. clang's header opencl-c.h lists them. A function that calls
each is compiled with libclc as hexec compiles programs; what then has no body must be in the device library, LIBRARY (PTX)."""
import pathlib
import re
import subprocess
import sys

CLANG, LIBRARY = sys.argv[1], pathlib.Path(sys.argv[2])
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src" / "compiler"
LIBCLC = [path for path in map(pathlib.Path, ("/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc")) if path.exists()]
IMAGES = re.compile(r"_depth_t|_msaa_|_mipmap|ndrange") # of extensions that are not there
TYPE = re.compile(r"(void|bool|u?(char|short|int|long)|float|double|half)\d*|\w+_t|atomic_\w+|memory_\w+|cl_mem_fence_flags|const|volatile|restrict")
NO_INSTRUCTION = re.compile(r"^declare .*@(llvm\.(?:cos|exp|exp2|log|log10|log2|pow|powi|sin)\.\w+)\(", re.M) # without -ffast-math
NOT_DECLARED = re.compile(r"half\d* fast_|printf|vload$|vstore$") # by clang itself; printf has a signature of its own


def extensions():
    """What command.c tells clang that hexec has"""
    return "".join(re.findall(r'"((?:-cl-ext=|,)?[^"]*\+(?:cl|__opencl)_[^"]*)"', (SOURCE / "command.c").read_text(encoding="utf-8")))


def clang(standard, text, *words):
    done = subprocess.run([CLANG, "-xcl", f"-cl-std={standard}", "-target", "nvptx64-unknown-nvcl", "-march=sm_70", "-Xclang", extensions(),
                           "-D__opencl_c_atomic_scope_device=1", "-D__opencl_c_atomic_scope_all_devices=1", f"-I{SOURCE / 'opencl'}", *words, "-o-", "-"],
                          input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{standard}: clang failed\n{done.stderr[:1500]}")
    return done.stdout


def declarations(standard, prelude):
    macros = "".join(re.findall(r"^#(?:if|endif|define cl_khr|define __opencl_c).*\n", prelude, re.M))
    text = clang(standard, macros + "#include <opencl-c.h>\n", "-E", "-P")
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|#pragma.*", " ", text)
    for statement in text.split(";"):
        match = re.fullmatch(r"((?:\w+[ *]+)+)(\w+)\s*\(([^()]*)\)", " ".join(statement.split()))
        if match and not match[1].startswith("typedef") and not IMAGES.search(match[0]) and not NOT_DECLARED.match(match[1].strip() + " " + match[2]) \
                and not NOT_DECLARED.match(match[2]):
            yield match[1].strip(), match[2], [] if match[3].strip() in ("", "void") else match[3].split(",")


def caller(number, result, name, parameters):
    """RESULT f7(int a0, float *a1) { return name(a0, a1); }"""
    typed = []
    for i, parameter in enumerate(parameters):
        words = re.findall(r"\w+|\*", parameter)
        has_name = words[-1] != "*" and not TYPE.fullmatch(words[-1])
        typed.append(" ".join(words[:-1] if has_name else words) + f" a{i}")
    call = f"{name}({', '.join(f'a{i}' for i in range(len(parameters)))})"
    return f"{result} f{number}({', '.join(typed) or 'void'}) {{ {'' if result == 'void' else 'return '}{call}; }}\n"


def table_failures(standard, text, library):
    """libclc.def lists what only libclc has. Other names would cost programs that call them a second compilation."""
    code = clang(standard, text + '\n#include "functions.cl"\n', "-Xclang", "-finclude-default-header", "-Wno-everything", "-O0", "-D__OPTIMIZE__=1", "-emit-llvm", "-S")
    missing = {name for name in re.findall(r"^declare .*@(_Z\w+)\(", code, re.M) if name not in library}
    missing = {re.match(r"_Z(\d+)", name) for name in missing}
    missing = {found.string[found.end():found.end() + int(found[1])] for found in missing}
    table = re.findall(r"^LIBCLC\((\w+)\)", (SOURCE / "libclc.def").read_text(encoding="utf-8"), re.M)
    unlisted = sorted(name for name in missing if name not in table and not name.startswith(("convert_", "vload", "vstore")))
    unneeded = sorted(set(table) - missing)
    return [f"{standard}: libclc.def does not list {name}" for name in unlisted] + \
        [f"{standard}: libclc.def lists {name}" for name in unneeded] + ([] if table == sorted(table) else ["libclc.def is not in order"])


def main():
    prelude = (SOURCE / "opencl" / "prelude.cl").read_text(encoding="utf-8")
    library = set(re.findall(r"^(?:\.\w+ )*\.func +(?:\([^)]*\) *)?(\w+)", LIBRARY.read_text(encoding="utf-8"), re.M))
    library |= set(re.findall(r"^EXTERN_OP\((\w+)", (SOURCE.parent / "ptx" / "externs.def").read_text(encoding="utf-8"), re.M)) # instructions
    failures, count = [], 0
    for standard in ("CL1.2", "CL3.0"):
        rows = [row for row in declarations(standard, prelude) if standard == "CL1.2" or not row[1].startswith("convert_")]
        rows = [row for row in rows if not row[1].startswith("convert_") or "half" in str(row)] # libclc makes the others by one rule
        lines = [caller(i, *row) for i, row in enumerate(rows)]
        count += len(lines)
        text = prelude + "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(lines)
        code = clang(standard, text + '\n#include "functions.cl"\n', "-Xclang", "-finclude-default-header", "-Xclang", "-mlink-builtin-bitcode",
                     "-Xclang", str(LIBCLC[0]), "-Wno-linker-warnings", "-Wno-everything", "-O0", "-D__OPTIMIZE__=1", "-emit-llvm", "-S")
        missing = set(re.findall(r"^declare .*@(\w+)\(", code, re.M)) - library
        failures += [f"{standard}: {name} has no body" for name in sorted(missing)]
        failures += [f"{standard}: {name} is called, for which PTX has no instruction" for name in sorted(set(NO_INSTRUCTION.findall(code)))]
        failures += table_failures(standard, text, library)
        if len(lines) < 4000:
            failures.append(f"{standard}: the header declares {len(lines)} functions only")
    print("\n".join(failures) or f"{count} functions are there")
    sys.exit(len(failures) > 0)


if not LIBCLC:
    print("skipped: there is no libclc")
    sys.exit(77)
main()
