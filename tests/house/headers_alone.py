#!/usr/bin/env python3
"""usage: headers_alone.py CC [DEFINITION...]

Each header compiles alone, as C; public ones also as C++ where there is a compiler for it."""
import concurrent.futures
import os
import shutil
import subprocess
import sys

import house

compiler, definitions = sys.argv[1], [word for word in sys.argv[2:] if word]
plus = shutil.which("clang++") or shutil.which("g++")
flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(house.ROOT / "include")]
PLUGIN = house.ROOT / "src/exec/tier/llvm"
inside = ["-std=gnu17", "-D_GNU_SOURCE", "-I", str(house.ROOT / "src"), "-I", str(house.ROOT / "tools/hexec"), *definitions]


def compile_alone(path, command):
    result = subprocess.run([*command, "-"], input=f'#include "{path}"\n', capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"{path.relative_to(house.ROOT)}: not with {' '.join(command[:3])}\n{result.stderr}"


jobs = []
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for path in house.sources("include", endings=(".h",)):
        jobs.append(pool.submit(compile_alone, path, [compiler, "-xc", "-std=gnu11", *flags]))
        if plus:
            jobs.append(pool.submit(compile_alone, path, [plus, "-xc++", "-std=gnu++17", *flags]))
    for path in house.sources("src", "tools/hexec", endings=(".h",)):
        if path.is_relative_to(PLUGIN) and not any("llvm" in word for word in definitions):
            continue  # the plugin is not built here, and LLVM's headers may be missing
        if not house.is_for_kernels(path) and "#pragma once" in path.read_text(encoding="utf-8"):
            jobs.append(pool.submit(compile_alone, path, [compiler, "-xc", *inside, *flags]))
if not plus:
    print("note: no C++ compiler here; public headers were tried as C only")
house.finish("headers_alone", [job.result() for job in jobs if job.result()])
