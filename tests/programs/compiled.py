#!/usr/bin/env python3
"""What the kernels of programs/opencl and programs/cuda must compute, worked out with NumPy and never by hexec.

    compiled.py --check DIRECTORY     do the programs' expectations say what this script computes? exit code 1 if not
    compiled.py --write DIRECTORY     write them: the `expect` part, which is the last of a file, and .npy files

A function of OPENCL or CUDA has the name of a program. It gives the buffers that the program writes, `Near` ones with
their tolerance and others exact; `files` are buffers that a program begins with, and `printed` lines that it prints,
which are kept beside this script."""
import argparse
import itertools
import sys
import zlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
import programs  # noqa: E402

FIRST_VALUES = 8  # of larger buffers these, for people


class Near:
    """Elements that are compared with tolerances."""

    def __init__(self, values, rtol, atol):
        self.values, self.rtol, self.atol = values, rtol, atol


def random(kind, seed, low, high, shape):
    """`fill: random`, as docs/programs.md has it."""
    count = int(np.prod(shape))
    if kind == np.float32:
        return np.array(programs.random_f32(count, seed, low, high), kind).reshape(shape)
    if kind == np.float64:
        return np.array([low + programs.random_unit(seed, i) * (high - low) for i in range(count)]).reshape(shape)
    return np.array(programs.random_int(count, seed, low, high), kind).reshape(shape)


# ---- OpenCL C -----------------------------------------------------------------------------------------------------


def blur():
    image = np.pad(random(np.uint8, 5, 0, 255, (70, 100)), 2, mode="edge").astype(int)
    weights = (1, 4, 6, 4, 1)
    total = sum(weights[y] * weights[x] * image[y:y + 70, x:x + 100] for y in range(5) for x in range(5))
    return {"out": ((total + 128) >> 8).astype(np.uint8)}


def fft():
    parts = random(np.float32, 7, -1, 1, (4, 256, 2)).astype(float)
    result = np.fft.fft(parts[..., 0] + 1j * parts[..., 1])
    return {"out": Near(np.stack((result.real, result.imag), -1).astype(np.float32), 1e-5, 1e-4)}


def radix_sort():
    return {"keys": np.sort(random(np.uint32, 9, 0, 2**32 - 1, 1000))}


def softmax_of(x):
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def softmax():
    x = random(np.float32, 11, -50, 50, (6, 200)).astype(float)
    return {"out": Near(softmax_of(x).astype(np.float32), 1e-5, 1e-30)}


def layer_norm():
    x = random(np.float32, 13, -2, 6, (8, 256)).astype(float)
    scale, shift = random(np.float32, 14, 0.5, 2, 256), random(np.float32, 15, -1, 1, 256)
    normal = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.001)
    return {"out": Near((normal * scale + shift).astype(np.float32), 1e-5, 1e-5)}


def bfs():
    first, following = np.arange(0, 801, 4, np.uint32), random(np.uint32, 17, 0, 199, (200, 4))
    distance, found = np.full(200, -1, np.int32), np.zeros(201, np.uint32)
    frontier, level = {0}, 0
    while frontier:
        found[level] = len(frontier)
        distance[list(frontier)] = level
        level += 1
        frontier = {int(v) for u in frontier for v in following[u] if distance[v] < 0}
    return {"distance": distance, "found": found, "files": {"first": first}}


def spmv_csr():
    row_start = np.concatenate(([0], np.cumsum(np.arange(60) % 9))).astype(np.uint32)
    column, value = random(np.uint32, 19, 0, 59, 231), random(np.float64, 20, -1, 1, 231)
    x = random(np.float64, 21, -1, 1, 60)
    rows = [slice(row_start[i], row_start[i + 1]) for i in range(60)]
    y = np.array([np.dot(value[row], x[column[row]]) for row in rows])
    return {"y": Near(y, 1e-13, 1e-15), "files": {"row_start": row_start}}


def tally():
    points = random(np.float32, 23, -1, 1, (4, 64, 2)).astype(float)
    inside = ((points[..., 0] - 0.25) / 0.75) ** 2 + ((points[..., 1] + 0.125) / 0.5) ** 2 <= 1
    counts = inside.sum(-1)
    printed = [f"group {i}: {count} of 64 points in E at (0.25, -0.12)" for i, count in enumerate(counts)]
    return {"total": np.array([counts.sum()], np.uint32), "printed": printed}


def matmul():
    a, b = (random(np.float32, seed, -1, 1, (64, 64)).astype(float) for seed in (25, 26))
    return {"c": Near((a @ b).astype(np.float32), 1e-5, 1e-5)}


# ---- CUDA C -------------------------------------------------------------------------------------------------------


def attention():
    q = random(np.float32, 31, -2, 2, (16, 32)).astype(float)
    k, v = (random(np.float32, seed, -limit, limit, (96, 32)).astype(float) for seed, limit in ((32, 2), (33, 1)))
    return {"out": Near((softmax_of(q @ k.T / np.sqrt(32)) @ v).astype(np.float32), 1e-5, 1e-5)}


def queens():
    ways = np.zeros((8, 8), np.uint32)
    for columns in itertools.permutations(range(8)):
        if len({i + column for i, column in enumerate(columns)}) == 8 == len({i - column for i, column in enumerate(columns)}):
            ways[columns[0], columns[1]] += 1
    return {"ways": ways, "total": np.array([ways.sum()], np.uint32)}


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def operations():
    table = (lambda a, b: wrap(a + b), lambda a, b: wrap(a - b), lambda a, b: wrap(a * b), max,
             lambda a, b: wrap(a ** max(b, 0)))
    results, folds = [], []
    for i in range(64):
        stack, start = [], i
        for code in (-1, -2, 0, -2, 1, -1, 2, -2, 3):
            if code < 0:
                stack.append(i % 7 if code == -1 else 3)
            else:
                top = stack.pop()
                stack.append(table[(code + i) % 5](stack.pop(), top))
        for value in (3, -1, 4, 1, -5, 9):
            start = table[i % 4](start, value)
        results.append(stack[0])
        folds.append(start)
    return {"results": np.array(results, np.int32), "folds": np.array(folds, np.int32)}


def particles():
    parts = random(np.float32, 49, -3, 3, (48, 6))
    parts[:, 2] = np.abs(parts[:, 2])
    start = np.zeros((48, 8), np.uint32)
    start[:, :6] = parts.view(np.uint32)
    place, speed, bounces = parts[:, :3].copy(), parts[:, 3:].copy(), np.zeros(48, np.uint32)
    alive, step = np.ones(48, bool), np.float32(0.0625)
    for _ in range(40):
        moves = alive.copy()
        speed[moves] += step * np.array([0, 0, -9.75], np.float32)
        place[moves] += step * speed[moves]
        under = moves & (place[:, 2] < 0)
        place[under, 2], speed[under, 2] = -place[under, 2], -speed[under, 2]
        bounces[under] += 1
        alive &= np.abs(place[:, 0]) <= 4
    end = np.concatenate((place.view(np.uint32), speed.view(np.uint32), bounces[:, None], alive[:, None]), 1)
    return {"particles": end.astype(np.uint32), "files": {"start": start}}


def shapes():
    kinds, size = random(np.int32, 41, 0, 2, 40), np.arange(40)
    areas = np.select([kinds == 0, kinds == 1], [size**2, size**2 + 2], 0).astype(np.int32)
    names = [("square", "square", "shape")[kind] for kind in kinds[:3]]
    return {"areas": areas, "printed": [f"{i}: {name} {areas[i]}" for i, name in enumerate(names)]}


def histogram():
    counts = np.bincount(random(np.uint8, 43, 0, 255, 10000), minlength=256).astype(np.uint32)
    return {"counts": counts, "last": np.array([counts.max()], np.uint32)}


def scan():
    return {"out": np.cumsum(random(np.int32, 45, -10**9, 2 * 10**9, 1500).astype(np.int64))}


def newton():
    slopes, starts = random(np.float64, 47, 0.6, 3, 100), (0.1, 0.7, 1.1, 1.5)
    roots, passes = [], []
    for i, slope in enumerate(slopes):
        x, change, count = starts[i % 4], 1.0, 0
        while abs(change) > 1e-12 and count < 50:
            change = (np.cos(x) - slope * x) / (np.sin(x) + slope)
            x, count = x + change, count + 1
        roots.append(x)
        passes.append(count)
    return {"roots": Near(np.array(roots), 1e-14, 0), "passes": np.array(passes, np.int32)}


def saxpy():
    return {"y": (2 * np.arange(1000) + 1).astype(np.float32)}


OPENCL = (blur, fft, radix_sort, softmax, layer_norm, bfs, spmv_csr, tally, matmul)
CUDA = (attention, queens, operations, particles, shapes, histogram, scan, newton, saxpy)

# ---- Files --------------------------------------------------------------------------------------------------------


def expectation(program, buffer, result, files):
    """The lines of a buffer; `files` gets the one that they name."""
    if isinstance(result, Near):
        name = f"{program}-{buffer}.npy"
        files[name] = result.values.reshape(-1)
        return f"  - {{buffer: {buffer}, file: {name}, rtol: {result.rtol:g}, atol: {result.atol:g}}}\n"
    values = result.reshape(-1)
    listed = ", ".join(f"{value:g}" if values.dtype.kind == "f" else str(value) for value in values[:FIRST_VALUES])
    if len(values) <= FIRST_VALUES:
        return f"  - {{buffer: {buffer}, values: [{listed}]}}\n"
    crc = zlib.crc32(values.tobytes())
    return (f"  - {{buffer: {buffer}, values: [{listed}]}}   # the first elements\n"
            f"  - {{buffer: {buffer}, crc32: 0x{crc:08x}}}\n")


def same(path, values):
    """Is the file this array? The last bits of functions differ between versions of NumPy."""
    if not path.is_file():
        return False
    kept = np.load(path)
    return kept.dtype == values.dtype and kept.shape == values.shape and np.allclose(kept, values, rtol=1e-6, atol=1e-30)


def keep(path, text, write):
    """Writes or compares a text; returns what differs."""
    if write:
        path.write_text(text, encoding="utf-8")
    return [] if path.is_file() and path.read_text(encoding="utf-8") == text else [f"{path} is not what the reference computes"]


def renew(folder, functions, write):
    """Writes or compares the programs of a folder; returns what differs."""
    names = {function.__name__ for function in functions}
    wrong = [f"{path}: there is no reference for it" for path in folder.glob("*.yaml") if path.stem not in names]
    for function in functions:
        path, files = folder / f"{function.__name__}.yaml", {}
        given, _, _ = path.read_text(encoding="utf-8").partition("expect:")
        expect = "expect:                                    # from tests/programs/compiled.py\n"
        for buffer, result in function().items():
            if buffer == "printed":
                wrong += keep(HERE / f"{path.stem}.out", "\n".join(result) + "\n", write)
            elif buffer == "files":
                files |= {f"{path.stem}-{name}.npy": values.reshape(-1) for name, values in result.items()}
            else:
                expect += expectation(path.stem, buffer, result, files)
        wrong += keep(path, given + expect, write)
        for name, values in files.items():
            if write:
                np.save(folder / name, values)
            elif not same(folder / name, values):
                wrong.append(f"{folder / name} is not what the reference computes")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", type=Path, metavar="DIRECTORY")
    action.add_argument("--write", type=Path, metavar="DIRECTORY")
    arguments = parser.parse_args()
    directory, write = arguments.check or arguments.write, arguments.write is not None
    wrong = renew(directory / "opencl", OPENCL, write) + renew(directory / "cuda", CUDA, write)
    print("\n".join(wrong) or "all agree")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
