#!/usr/bin/env python3
"""usage: opencl_programs.py HEXEC

Programs of Debian's that know nothing of hexec run on its OpenCL driver, and find their results right. Those that are not
installed are left out; without any of them the test is skipped (77)."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEXEC = pathlib.Path(sys.argv[1]).resolve()
PYTHON = "/usr/bin/python3"  # that Debian's packages are for
PYOPENCL = """
import numpy as np, pyopencl as cl, pyopencl.array as ca
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
x = np.arange(10000, dtype=np.float32)
a = ca.to_device(queue, x)
b = 2 * a + 1
assert np.array_equal(b.get(), 2 * x + 1)
assert ca.sum(a.astype(np.float64)).get() == x.astype(np.float64).sum()
numbers = ca.arange(queue, 5000, dtype=np.int32)
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(numbers)
assert np.array_equal(numbers.get(), np.cumsum(np.arange(5000), dtype=np.int32))
dot = ReductionKernel(context, np.float64, neutral="0", reduce_expr="a+b", map_expr="(double) x[i] * y[i]",
                      arguments="__global float *x, __global float *y")
assert dot(a, b).get() == (x.astype(np.float64) * (2 * x + 1)).sum()
print("results are right")
"""
PYOPENCL_IMAGES = """
import numpy as np, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void flip(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, (int2)(get_image_width(in) - 1 - at.x, at.y), read_imageui(in, s, at));
}''').build()
x = np.random.default_rng(1).integers(0, 255, (60, 80, 4), dtype=np.uint8)
a = cl.image_from_array(context, x, 4)
b = cl.Image(context, cl.mem_flags.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8), shape=(80, 60))
sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
program.flip(queue, (80, 60), None, a, b, sampler)
y = np.empty_like(x)
cl.enqueue_copy(queue, y, b, origin=(0, 0), region=(80, 60))
assert np.array_equal(y, x[:, ::-1])
print("results are right")
"""


def filters(on_device, on_host):
    """ffmpeg's arguments: a filter in OpenCL and the one for the CPU, whose pictures it compares."""
    return ["-hide_banner", "-init_hw_device", "opencl=o", "-filter_hw_device", "o", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=5:duration=0.4",
            "-filter_complex", f"format=yuv420p,split[a][b];[a]hwupload,{on_device},hwdownload,format=yuv420p[x];[b]{on_host}[y];[x][y]psnr",
            "-f", "null", "-"]


# program, package, arguments, what it prints when all is well, launches at least
PROGRAMS = [
    ("clinfo", "clinfo", [], r"Number of platforms +1\b[\s\S]*Device Name +hexec virtual GPU", 0),
    ("clFFT-client", "clfft-client", ["-x", "64", "-y", "64"], r"Internal Client Test \*+PASS\*+", 1),
    ("clFFT-client", "clfft-client", ["-x", "30", "-y", "27", "-z", "5"], r"Internal Client Test \*+PASS\*+", 1),
    ("clblast_test_xaxpy", "clblast-tests", ["-precision", "32"], r"36 passed / 0 skipped / 0 failed", 36),
    ("clblast_test_xdot", "clblast-tests", ["-precision", "32"], r"[1-9]\d* passed .*/ 0 failed", 1),
    ("clpeak", "clpeak", ["--kernel-latency"], r"Kernel launch latency : \d", 1),
    ("ffmpeg", "ffmpeg", filters("transpose_opencl=1", "transpose=1"), r"PSNR .*average:inf\b", 6),
    ("ffmpeg", "ffmpeg", filters("erosion_opencl", "erosion"), r"PSNR .*average:inf\b", 6),
    # that of the CPU multiplies by a number of 16 bits: 46 dB on OpenCL drivers of others, too
    ("ffmpeg", "ffmpeg", filters("unsharp_opencl=lx=5:ly=5:la=1.0", "unsharp=5:5:1.0"), r"PSNR .*average:4[5-9]\.", 6),
    (PYTHON, "python3-pyopencl", ["-c", PYOPENCL], "results are right", 6),
    (PYTHON, "python3-pyopencl", ["-c", PYOPENCL_IMAGES], "results are right", 1),
]


def is_there(program):
    if program == PYTHON:
        return subprocess.run([PYTHON, "-c", "import pyopencl, mako"], capture_output=True, check=False).returncode == 0
    return shutil.which(program) is not None


def launches_of(report):
    found = re.search(r"hexec: (\d+) launch", report)
    return int(found[1]) if found else 0


tried = problems = 0
with tempfile.TemporaryDirectory() as folder:
    for program, package, arguments, wanted, launches in PROGRAMS:
        if not is_there(program):
            print(f"left out: {program} is not installed (Debian: {package})")
            continue
        report = pathlib.Path(folder, "report")
        report.write_text("", encoding="utf-8")
        ran = subprocess.run([HEXEC, "app", "--output", report, "--", program, *arguments], capture_output=True, text=True, timeout=300,
                             cwd=folder, check=False)
        said, count = ran.stdout + ran.stderr, launches_of(report.read_text(encoding="utf-8"))
        tried += 1
        if ran.returncode != 0 or not re.search(wanted, said) or re.search(r"[1-9]\d* test\(s\) failed", said) or count < launches:
            problems += 1
            print(f"{program} {arguments[:4]} ends with {ran.returncode}, {count} launches:\n{said[-2000:]}")
print(f"{tried} programs, {problems} wrong")
if tried == 0:
    sys.exit(77)
if problems == 0:
    print("all as it should be")
sys.exit(problems > 0)
