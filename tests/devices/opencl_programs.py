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
# program, package, arguments, what it prints when all is well, launches at least
PROGRAMS = [
    ("clinfo", "clinfo", [], r"Number of platforms +1\b[\s\S]*Device Name +hexec virtual GPU", 0),
    ("clFFT-client", "clfft-client", ["-x", "64", "-y", "64"], r"Internal Client Test \*+PASS\*+", 1),
    ("clFFT-client", "clfft-client", ["-x", "30", "-y", "27", "-z", "5"], r"Internal Client Test \*+PASS\*+", 1),
    ("clblast_test_xaxpy", "clblast-tests", ["-precision", "32"], r"36 passed / 0 skipped / 0 failed", 36),
    ("clblast_test_xdot", "clblast-tests", ["-precision", "32"], r"[1-9]\d* passed .*/ 0 failed", 1),
    ("clpeak", "clpeak", ["--kernel-latency"], r"Kernel launch latency : \d", 1),
    (PYTHON, "python3-pyopencl", ["-c", PYOPENCL], "results are right", 6),
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
