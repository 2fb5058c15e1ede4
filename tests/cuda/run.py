#!/usr/bin/env python3
"""CUDA C through clang and hexec's headers: run.py HEXEC SOURCE CLANG. What cuda_c.cu and headers.cu compute must be what the
PTX computes that nvcc made of the same file (nvcc -ptx -arch=sm_90 -std=c++17); libdevice's mathematics is near it."""
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

HEXEC, SOURCE, CLANG = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
HERE = pathlib.Path(__file__).resolve().parent
HEADERS = SOURCE / "src" / "compiler" / "cuda"
KERNELS = {"cuda_c": "vectors integers rounding warps atomics groups halves doubles mathematics templates".split(),
           "headers": "words half_results group_results standard copies".split(),
           "fp8": ["floats_of_8_bits"],
           "groups": "video vector_atomics large_tiles barriers copies_with_barrier pipelines pipeline_of_thread two_roles".split()}
THREADS = {"groups": 256}
NEAR = {"mathematics": 1e-6} # relative
TOOLKIT = ("cuda_runtime.h cuda.h cuda_runtime_api.h device_launch_parameters.h vector_types.h vector_functions.h cuda_fp16.h "
           "cuda_bf16.h cuda_fp8.h cooperative_groups.h math_constants.h cuda_profiler_api.h helper_cuda.h mma.h cuda_pipeline.h cuda/atomic cuda/barrier cuda/pipeline "
           "cuda/latch cuda/semaphore cuda/std/atomic cuda/std/latch cuda/std/semaphore cuda/std/tuple cuda/std/array cuda/std/optional cuda/std/utility cuda/std/cmath cuda/std/cstdint").split()
COUNT = 64


def compile_cuda(text, name, out):
    """Clang reads the prelude and the program as hexec gives them to it; headers of the toolkit without contents are beside the output."""
    for header in re.findall(r"^TOOLKIT\(([\w.]+)\)", (HEADERS.parent / "cuda_toolkit.def").read_text(encoding="utf-8"), re.M):
        (out.parent / header).touch()
    source = (HEADERS / "prelude.h").read_text(encoding="utf-8") + f'\n#line 1 "{name}"\n' + text
    done = subprocess.run([CLANG, "-xcuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "-Wall",
                           "-Wno-unused-variable", "-Wno-pass-failed", "--cuda-gpu-arch=sm_70", "-std=c++17", "-O2", "-gline-directives-only", f"-isystem{HEADERS}", f"-isystem{out.parent}", "-S", "-o", out, "-"],
                          input=source, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else None


def run(module, kernel, folder, threads):
    results = max(threads, 80)
    done = subprocess.run([HEXEC, module, "--kernel", kernel, "--block", str(threads), "--arg", f"@{folder / 'x.npy'}", "--arg", f"f32:{threads}",
                           "--arg", f"i32:{results}", "--out", f"1={folder / 'y.bin'}", "--out", f"2={folder / 'out.bin'}", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None, f"{module.name} {kernel}: exit {done.returncode}\n{done.stdout}{done.stderr}"[:1500]
    return (struct.unpack(f"<{threads}f", (folder / "y.bin").read_bytes()), struct.unpack(f"<{results}i", (folder / "out.bin").read_bytes()),
            done.stdout), None


def compare(kernel, ours, theirs):
    near = NEAR.get(kernel, 0)
    if ours[1:] != theirs[1:]:
        return f"{kernel}: integers or text differ: {ours[1:]} and {theirs[1:]}"
    for i, (a, b) in enumerate(zip(ours[0], theirs[0])):
        if not abs(a - b) <= near * abs(b):
            return f"{kernel}: result {i} is {a!r} compiled by clang, {b!r} by nvcc"
    return None


def write_input(folder):
    draw = random.Random(5)
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % COUNT
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    values = struct.pack(f"<{COUNT}f", *(draw.uniform(-8, 8) for _ in range(COUNT)))
    (folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + values)


def check_host(folder):
    """A whole program, whose host code only has to compile; its kernel that reads a texture stops, as nothing was bound to it, the other one runs."""
    program = HERE / "host.cu"
    failure = compile_cuda(program.read_text(encoding="utf-8"), program.name, folder / "host.ptx")
    if failure:
        return failure
    done = subprocess.run([HEXEC, folder / "host.ptx", "--kernel", "scale", "--block", "4", "--arg", "f32:4:iota", "--arg", "2.0", "--print", "0"],
                          capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.endswith("0 = 0 2 4 6\n"):
        return f"host.cu, scale: exit {done.returncode}\n{done.stdout}{done.stderr}"
    done = subprocess.run([HEXEC, folder / "host.ptx", "--kernel", "blur", "--block", "4", "--arg", "f32:4", "--arg", "0"], capture_output=True,
                          text=True, check=False)
    return None if done.returncode == 3 and "outside every buffer" in done.stderr else f"host.cu, blur: exit {done.returncode}\n{done.stderr}"


def check_counts(name, folder):
    """Programs that compare their results with what these must be, and count those that are wrong: at most 8 counts."""
    failure = compile_cuda((HERE / f"{name}.cu").read_text(encoding="utf-8"), f"{name}.cu", folder / f"{name}.ptx")
    if failure:
        return failure
    done = subprocess.run([HEXEC, folder / f"{name}.ptx", "--block", "8", "--arg", f"@{folder / 'x.npy'}", "--arg", "i32:8:9", "--print", "1"],
                          capture_output=True, text=True, check=False)
    return None if done.stdout.endswith("1 = 0 0 0 0 0 0 0 0\n") else f"{name}.cu: exit {done.returncode}\n{done.stdout}{done.stderr}"


def to_float(value):
    """The nearest float, ties to even."""
    drop = max(abs(value).bit_length() - 24, 0)
    kept, rest = divmod(abs(value), 1 << drop)
    kept += 2 * rest > 1 << drop or (2 * rest == 1 << drop and kept & 1)
    return math.copysign(math.ldexp(kept, drop), value)


def check_int128(folder):
    """Division of 128 bits, and what floating point becomes of them, with and without optimization."""
    problems = []
    for options in ("-O2", "-O0"):
        done = subprocess.run([HEXEC, HERE / "int128.cu", "--options", options, "--block", "64", "--arg", "u64:1280", "--arg", "f64:128", "--arg", "f32:128",
                               *(f"--out={i}={folder / f'wide{i}'}" for i in range(3))], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"int128.cu: exit {done.returncode}\n{done.stdout}{done.stderr}"
        out, doubles, floats = ((folder / f"wide{i}").read_bytes() for i in range(3))
        doubles, floats = struct.unpack("128d", doubles), struct.unpack("128f", floats)
        for i in range(64):
            found = [int.from_bytes(out[at:at + 16], "little") for at in range(160 * i, 160 * i + 160, 16)]
            a, b = found[:2]
            s, t = (-a if i & 1 else a), (-b if i & 2 else b)
            quotient = a // b if (s < 0) == (t < 0) else -(a // b)
            wanted = [a, b, a // b, a % b, quotient, s - quotient * t, int(float(a)), int(float(s)), int(to_float(a >> 1)), int(to_float(s >> 1))]
            if found != [value % 2**128 for value in wanted] or doubles[2 * i:2 * i + 2] != (float(a), float(s)) or \
                    floats[2 * i:2 * i + 2] != (to_float(a), to_float(s)):
                problems.append(f"int128.cu {options}: thread {i}: {found}, not {wanted}, or its floats")
    return "\n".join(problems)


def main():
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_input(folder)
        for file, kernels in KERNELS.items():
            module = folder / f"{file}.ptx"
            failures.append(compile_cuda((HERE / f"{file}.cu").read_text(encoding="utf-8"), f"{file}.cu", module))
            for kernel in kernels if failures[-1] is None else ():
                ours, problem = run(module, kernel, folder, THREADS.get(file, COUNT))
                theirs, other = run(HERE / f"{file}-nvcc-sm_90.ptx", kernel, folder, THREADS.get(file, COUNT))
                failures.append(problem or other or compare(kernel, ours, theirs))
        for header in TOOLKIT:
            text = f"#include <{header}>\n__global__ void k(int *x) {{ *x = threadIdx.x; }}\n"
            failures.append(compile_cuda(text, header, folder / "header.ptx"))
        failures.append(check_host(folder))
        failures.append(check_counts("floats", folder)) # functions that are named as those of doubles and get a float
        failures.append(check_counts("standard", folder)) # cuda::std
        failures.append(check_int128(folder))
    failures = [failure for failure in failures if failure]
    print("\n".join(failures) or f"{sum(map(len, KERNELS.values()))} kernels agree")
    sys.exit(len(failures) > 0)


main()
