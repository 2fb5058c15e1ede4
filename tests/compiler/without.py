#!/usr/bin/env python3
"""A build without clang: without.py HEXEC, a hexec whose device library is empty. Kernels that need none run; of the others it says
what is missing, and of OpenCL C and CUDA C how to get a compiler."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEXEC = pathlib.Path(sys.argv[1]).resolve()
HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n"
FILES = {
    "plain.ptx": HEAD + """.visible .entry k(.param .u64 x) { .reg .b64 %p; .reg .b32 %v;
ld.param.u64 %p, [x]; mov.u32 %v, 7; st.global.u32 [%p], %v; ret; }
""",
    "sine.ptx": HEAD + """.extern .func (.param .b32 r) __nv_tgammaf(.param .b32 a);
.visible .entry k(.param .u64 x) { .param .b32 a, r; st.param.b32 [a], 0; call (r), __nv_tgammaf, (a); ret; }
""",
    "wide.ptx": HEAD + ".visible .entry k(.param .u64 x) { .reg .b64 %p; .reg .b128 %q, %r; atom.exch.b128 %q, [%p], %r; ret; }\n",
    "other.ptx": HEAD + """.extern .func nobody();
.visible .entry k(.param .u64 x) { call nobody; ret; }
""",
    "opencl.ptx": HEAD + """.extern .func (.param .b32 r) _Z4sinhf(.param .b32 a);
.visible .entry k(.param .u64 x) { .param .b32 a, r; st.param.b32 [a], 0; call (r), _Z4sinhf, (a); ret; }
""",
    "k.cl": "kernel void k(global int *x) { x[0] = 1; }\n",
    "k.cu": "__global__ void k(int *x) { x[0] = 1; }\n"}
WITHOUT = r"device library, which hexec was built without.*package clang-14"
CASES = (("plain.ptx", 0, "0 = 7"), ("sine.ptx", 2, WITHOUT), ("wide.ptx", 2, WITHOUT), ("opencl.ptx", 2, WITHOUT),
         ("other.ptx", 2, "the function is not in this module$"),
         ("k.cl", 2, r"error\[HX2110\].*no clang[\s\S]*clang-14"), ("k.cu", 2, r"error\[HX2110\].*no clang[\s\S]*clang-14"))

failures = []
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for file, text in FILES.items():
        (folder / file).write_text(text, encoding="utf-8")
    environment = {**os.environ, "HEXEC_CLANG": "/nonexistent", "HEXEC_CACHE": "off"}
    for file, code, pattern in CASES:
        done = subprocess.run([HEXEC, file, "--arg", "u32:1", "--print", "0"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if done.returncode != code or not re.search(pattern, said, re.MULTILINE):
            failures.append(f"{file}: exit {done.returncode}, not {code} with '{pattern}'\n{said}")
print("\n".join(failures) or f"{len(CASES)} files: ok")
sys.exit(len(failures) > 0)
