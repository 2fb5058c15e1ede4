#!/usr/bin/env python3
"""frames.py HEXEC: functions that keep arrays in local memory, call each other from different depths, or call themselves, compute what
Python computes: interpreted, compiled, and on the thread's stack, as checkers have them."""
import pathlib
import subprocess
import sys
import tempfile

HEXEC = sys.argv[1]
THREADS = 192
LENGTH = 24
PROGRAM = """
__device__ __noinline__ void sort(int *a, int low, int high)
{
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
    }
    sort(a, low, j);
    sort(a, i, high);
}
__device__ __noinline__ unsigned chosen(const int *a, unsigned from, int count)
{
    unsigned kept[6], sum = 0;
    for (int i = 0; i < 6; i++) kept[i] = a[(from + i) % LENGTH] * (i + 1);
    for (int i = 0; i < count; i++) sum = sum * 31 + kept[(from * 5 + i) % 6];
    return sum;
}
__device__ __noinline__ unsigned twice(const int *a, unsigned from)
{
    unsigned parts[4], sum = 0;
    for (int i = 0; i < 4; i++) parts[i] = chosen(a, from + i, i + 3);
    for (int i = 0; i < 4; i++) sum ^= parts[(from + i) & 3] + chosen(a, sum % 16, 2);
    return sum;
}
extern "C" __global__ void frames(const int *x, int *sorted, unsigned *sums)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int a[LENGTH];
    for (int i = 0; i < LENGTH; i++) a[i] = (x[t] * 7919 + i * i * 104729) % 1009;
    sums[t] = twice(a, t);
    for (int i = 0; i < 3; i++) sums[t] += chosen(a, t + i, 4);
    if (t % 3) sums[t] ^= twice(a, t + 1);
    sort(a, 0, LENGTH - 1);
    for (int i = 0; i < LENGTH; i++) sorted[t * LENGTH + i] = a[i];
}
""".replace("LENGTH", str(LENGTH))


def chosen(a, start, count):
    kept = [a[(start + i) % LENGTH] * (i + 1) for i in range(6)]
    total = 0
    for i in range(count):
        total = (total * 31 + kept[(start * 5 + i) % 6]) % 2**32
    return total


def twice(a, start):
    parts = [chosen(a, start + i, i + 3) for i in range(4)]
    total = 0
    for i in range(4):
        total ^= (parts[(start + i) % 4] + chosen(a, total % 16, 2)) % 2**32
    return total


def expected():
    rows, sums = [], []
    for t in range(THREADS):
        a = [(t * 7919 + i * i * 104729) % 1009 for i in range(LENGTH)]
        total = (twice(a, t) + sum(chosen(a, t + i, 4) for i in range(3))) % 2**32
        sums.append(total ^ twice(a, t + 1) if t % 3 else total)
        rows += sorted(a)
    return b"".join(n.to_bytes(4, "little") for n in rows), b"".join(n.to_bytes(4, "little") for n in sums)


def main():
    failures, right = 0, expected()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "frames.cu").write_text(PROGRAM, encoding="utf-8")
        for options in (["--tier", "interpreter"], ["--tier", "interpreter", "--plain"], ["--tier", "compiled"], ["--check", "memory,init"]):
            done = subprocess.run([HEXEC, "frames.cu", "--grid", str(THREADS // 96), "--block", "96", "--arg", f"i32:{THREADS}:iota", "--arg",
                                   f"i32:{THREADS * LENGTH}", "--arg", f"u32:{THREADS}", "--out", "1=sorted", "--out", "2=sums", *options],
                                  cwd=folder, capture_output=True, text=True, check=False)
            got = tuple((folder / file).read_bytes() if done.returncode == 0 else b"" for file in ("sorted", "sums"))
            if got != right:
                print(f"{options}: exit {done.returncode}, {'sorted differs' if got[0] != right[0] else 'sums differ'}\n{done.stdout}{done.stderr}"[:2000])
                failures += 1
    print(f"4 runs, {failures} failures")
    return failures > 0


sys.exit(main())
