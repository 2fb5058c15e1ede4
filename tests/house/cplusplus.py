#!/usr/bin/env python3
"""usage: cplusplus.py LIBRARY TRACING

A host program in C++ gets its spans and events, by each standard from C++11 on and by each compiler that is here. Without
tracing (-DHX_TRACING=0) every function of trace.h is still there, and the program compiles."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import house

LIBRARY, TRACING = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] == "1"
SOURCE = house.ROOT / "tests/house/cplusplus/spans.cpp"
SHOWN = "3 spans, 6 events, 3 perf spans, 48 bytes\n" if TRACING else "0 spans, 0 events, 0 perf spans, 0 bytes\n"
PROTOTYPE = re.compile(r"HX_API\s+(?:HX_MUST_CHECK\s+)?([\w\s]+?[\s*]+hx_\w+\([^;]*?\))\s*;")
STUB = re.compile(r"^static inline ([\w\s]+?[\s*]+hx_\w+\([^{]*?\))\s*\{", re.MULTILINE)
problems = []


def flat(signatures):
    return {re.sub(r"\s*([*(),])\s*", r"\1", " ".join(one.split())) for one in signatures}


header = (house.ROOT / "include/hexec/trace.h").read_text(encoding="utf-8")
_, real, rest = re.split(r"^#if HX_TRACING$|^#else /\* the library has no tracing", header, maxsplit=2, flags=re.MULTILINE)
stubs = flat(STUB.findall(rest[:rest.index("#endif")]))
problems += [f"without tracing there is no {one}" for one in sorted(flat(PROTOTYPE.findall(real)) - stubs)]
if len(stubs) < 25:
    problems.append(f"only {len(stubs)} functions were found")


def check(compiler, standard, work):
    program = pathlib.Path(work, "spans")
    build = subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-DHX_TRACING={int(TRACING)}", "-I",
                            house.ROOT / "include", SOURCE, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-o", program],
                           capture_output=True, text=True, check=False)
    if build.returncode != 0:
        problems.append(f"{compiler} -std={standard}:\n{build.stderr}")
        return
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    if ran.returncode != 0 or ran.stdout != SHOWN:
        problems.append(f"{compiler} -std={standard}: ends with {ran.returncode} and prints {ran.stdout}{ran.stderr}")


compilers = [name for name in ("g++", "clang++") if shutil.which(name)]
with tempfile.TemporaryDirectory(prefix="hexec-cplusplus-") as folder:
    for name in compilers:
        for language in ("c++11", "c++17", "gnu++20"):
            check(name, language, folder)
if not compilers:
    print("note: no C++ compiler here; only the functions without tracing were compared")
house.finish("cplusplus", problems)
