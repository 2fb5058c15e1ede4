#!/usr/bin/env python3
"""usage: orderings.py HEXEC ROOT

Pairs of kernels of which the CUDA C++ Best Practices Guide and the papers that the programs in tests/models name say
which is faster: the models of all GPUs say so too, and both kernels of a pair compute the same.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HEXEC, MODELS = sys.argv[1], pathlib.Path(sys.argv[2]) / "tests" / "models"
GPUS = ("a100", "h100", "h200", "rtx4090", "t4", "v100")
# slower, faster, by at least how many times, the buffer that is the same (None: they do different parts of the work)
PAIRS = (
    ("product_naive", "product_tiled", 1.1, "c"),
    ("transpose_naive", "transpose_padded", 1.05, "y"),
    ("transpose_unpadded", "transpose_padded", 1.01, "y"),
    ("copy_strided", "copy_coalesced", 1.5, "y"),
    ("reduce_interleaved", "reduce_sequential", 1.1, "y"),
    ("reduce_strided", "reduce_sequential", 1.01, "y"),
    ("elements_one", "elements_four", 1.01, "y"),
)
problems = []


def modelled(name, gpu):
    command = [HEXEC, "profile", MODELS / f"{name}.yaml", "--device", gpu, "--runs", "1", "--json"]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{name} on {gpu}: {run.stderr}")
    return json.loads(run.stdout)["kernels"][0]["model"]


def result(name, buffer, folder):
    path = pathlib.Path(folder) / f"{name}.raw"
    subprocess.run([HEXEC, "run", str(MODELS / f"{name}.yaml"), "--quiet", "--out", f"{buffer}={path}"], check=True)
    return path.read_bytes()


for slower, faster, least, buffer in PAIRS:
    with tempfile.TemporaryDirectory() as folder:
        if result(slower, buffer, folder) != result(faster, buffer, folder):
            problems.append(f"{slower} and {faster} compute different values of {buffer}")
for gpu in GPUS:
    times = {name: modelled(name, gpu) for name in sorted({name for pair in PAIRS for name in pair[:2]})}
    for slower, faster, least, _ in PAIRS:
        ratio = times[slower]["ns"] / times[faster]["ns"]
        if not ratio >= least:
            problems.append(f"{gpu}: {slower} takes {ratio:.3f} times as long as {faster}, not {least} or more")
    for name, model in times.items():
        longest = max(part["ns"] for part in model["parts"])
        if not longest <= model["ns"] <= 2 * longest or not 0 < model["occupancy"]["achieved"] <= model["occupancy"]["share"]:
            problems.append(f"{gpu}: {name}: {model}")
print("\n".join(problems) or f"{len(PAIRS)} orders on {len(GPUS)} GPUs")
sys.exit(bool(problems))
