#!/usr/bin/env python3
"""usage: cuda_virtual.py LIBCUDA.so.1 [CASE]

Addresses and memory apart: reservations, shares of memory, mappings side by side and twice, access. `CASE`: a kernel that must be stopped, in a
process of its own."""
import ctypes
import subprocess
import sys
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from cuda_calls import PTX_ADD, call, cuda, out, start

INVALID_VALUE, OUT_OF_MEMORY, INVALID_DEVICE, ILLEGAL_ADDRESS, NOT_SUPPORTED = 1, 2, 101, 700, 801
MIB = 1 << 20
PART = 2 * MIB
READ, ALL = 1, 3
cuda.cuMemAddressReserve.argtypes = [c_void_p, c_size_t, c_size_t, c_uint64, c_uint64]
cuda.cuMemAddressFree.argtypes = cuda.cuMemUnmap.argtypes = [c_uint64, c_size_t]
cuda.cuMemMap.argtypes = [c_uint64, c_size_t, c_size_t, c_uint64, c_uint64]
cuda.cuMemSetAccess.argtypes = [c_uint64, c_size_t, c_void_p, c_size_t]
cuda.cuMemCreate.argtypes = [c_void_p, c_size_t, c_void_p, c_uint64]
cuda.cuMemRelease.argtypes = cuda.cuMemFree_v2.argtypes = [c_uint64]
cuda.cuMemGetAccess.argtypes = [c_void_p, c_void_p, c_uint64]
cuda.cuMemsetD32_v2.argtypes = [c_uint64, c_uint32, c_size_t]
cuda.cuMemsetD32Async.argtypes = [c_uint64, c_uint32, c_size_t, c_void_p]
cuda.cuMemcpyDtoH_v2.argtypes = [c_void_p, c_uint64, c_size_t]
cuda.cuMemcpyDtoD_v2.argtypes = [c_uint64, c_uint64, c_size_t]
cuda.cuMemRetainAllocationHandle.argtypes = [c_void_p, c_uint64]
cuda.cuMemGetAllocationPropertiesFromHandle.argtypes = [c_void_p, c_uint64]
cuda.cuMemFreeAsync.argtypes = [c_uint64, c_void_p]


class Wanted(ctypes.Structure):
    """CUmemAllocationProp"""
    _fields_ = [("kind", c_int), ("handles", c_int), ("place", c_int), ("device", c_int), ("security", c_void_p), ("flags", ctypes.c_uint8 * 8)]


class Access(ctypes.Structure):
    """CUmemAccessDesc"""
    _fields_ = [("place", c_int), ("device", c_int), ("flags", c_int)]


DEVICE = Wanted(kind=1, place=1)


def create(size=PART):
    return out(c_uint64, "cuMemCreate", size, byref(DEVICE), 0).value


def reserve(size):
    return out(c_uint64, "cuMemAddressReserve", size, 0, 0, 0).value


def allow(address, size=PART, flags=ALL):
    call("cuMemSetAccess", address, size, byref(Access(1, 0, flags)), 1)


def access_of(address):
    return out(c_uint64, "cuMemGetAccess", byref((c_int * 2)(1, 0)), address).value


def numbers(address, count):
    got = (c_uint32 * count)()
    call("cuMemcpyDtoH_v2", got, address, 4 * count)
    return list(got)


def add(function, address, value, want=0):
    items = c_uint64(address), c_uint32(value)
    call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, (c_void_p * 2)(*[ctypes.addressof(item) for item in items]), None)
    call("cuCtxSynchronize", want=want)


def free_bytes():
    free, total = c_size_t(), c_size_t()
    call("cuMemGetInfo_v2", byref(free), byref(total))
    return free.value


def test_grows(function):
    """An array that grows by one mapping after another, and keeps what it has."""
    at_first = free_bytes()
    base = reserve(4 * PART)
    assert base % PART == 0
    handles = []
    for part in range(3):
        handles.append(create())
        call("cuMemMap", base + part * PART, PART, 0, handles[-1], 0)
        assert access_of(base + part * PART) == 0
        call("cuMemsetD32_v2", base + part * PART, 1, 1, want=INVALID_VALUE)
        allow(base + part * PART)
        call("cuMemsetD32_v2", base + part * PART, part + 1, PART // 4)
        assert numbers(base + part * PART - (64 if part else 0), 32)[0] == (part or 1)
    assert at_first - free_bytes() == 3 * PART, at_first - free_bytes()
    border = base + PART - 64
    add(function, border, 10)
    assert numbers(border - 4, 34) == [1] + [11] * 16 + [12] * 16 + [2]
    call("cuMemcpyDtoD_v2", base + 2 * PART - 64, border, 128)
    assert numbers(base + 2 * PART - 64, 32) == [11] * 16 + [12] * 16
    stream = out(c_void_p, "cuStreamCreate", 0)
    call("cuMemsetD32Async", base, 7, 3 * PART // 4, stream)
    call("cuStreamSynchronize", stream)
    assert numbers(base, 1) + numbers(base + 3 * PART - 4, 1) == [7, 7]
    call("cuMemsetD32_v2", base + 3 * PART - 4, 7, 2, want=INVALID_VALUE)
    size, found = c_size_t(), c_uint64()
    call("cuMemGetAddressRange_v2", byref(found), byref(size), c_uint64(base + PART + 5))
    assert (found.value, size.value) == (base + PART, PART)
    for handle in handles:
        call("cuMemRelease", handle)
    call("cuMemAddressFree", base, 4 * PART, want=INVALID_VALUE)
    call("cuMemUnmap", base, PART // 2, want=INVALID_VALUE)
    call("cuMemUnmap", base, PART)
    call("cuMemsetD32_v2", base, 7, 1, want=INVALID_VALUE)
    call("cuMemUnmap", base, 3 * PART, want=INVALID_VALUE)
    call("cuMemUnmap", base + PART, 2 * PART)  # both at once
    call("cuMemAddressFree", base, 4 * PART)
    assert free_bytes() == at_first
    call("cuStreamDestroy_v2", stream)


def test_twice(function):
    """One share at two places, and elsewhere later: its bytes go with it."""
    base, handle = reserve(2 * PART), create()
    for place in (base, base + PART):
        call("cuMemMap", place, PART, 0, handle, 0)
    allow(base, 2 * PART)
    add(function, base, 5)
    assert numbers(base + PART, 33) == [5] * 32 + [0]
    call("cuMemUnmap", base, 2 * PART)
    call("cuMemMap", base + PART, PART, 0, handle, 0)
    allow(base + PART, flags=READ)
    assert numbers(base + PART, 1) == [5] and access_of(base + PART + 9) == READ
    again = out(c_uint64, "cuMemRetainAllocationHandle", base + PART + 100).value
    assert again == handle
    is_so = out(Wanted, "cuMemGetAllocationPropertiesFromHandle", handle)
    assert (is_so.kind, is_so.place, is_so.device) == (1, 1, 0)
    for _ in range(2):
        call("cuMemRelease", handle)
    call("cuMemRelease", handle, want=INVALID_VALUE)
    call("cuMemGetAllocationPropertiesFromHandle", byref(is_so), handle, want=INVALID_VALUE)
    allow(base + PART)
    add(function, base + PART, 1)
    assert numbers(base + PART, 1) == [6]
    allow(base + PART, flags=0)
    call("cuMemcpyDtoD_v2", base + PART, base + PART, 4, want=INVALID_VALUE)
    call("cuMemFree_v2", base + PART, want=INVALID_VALUE)
    call("cuMemFreeAsync", base + PART, None, want=INVALID_VALUE)
    call("cuMemUnmap", base + PART, PART)
    call("cuMemAddressFree", base, 2 * PART)


def test_errors():
    value, base, handle = c_uint64(), reserve(2 * PART), create()
    assert out(c_int, "cuDeviceGetAttribute", 102, 0).value == 1
    for which in (0, 1):
        assert out(c_size_t, "cuMemGetAllocationGranularity", byref(DEVICE), which).value == PART
    for bad, want in ((Wanted(kind=0, place=1), INVALID_VALUE), (Wanted(kind=1, place=3), NOT_SUPPORTED), (Wanted(kind=1, place=1, handles=1), NOT_SUPPORTED),
                      (Wanted(kind=1, place=1, device=9), INVALID_DEVICE)):
        call("cuMemGetAllocationGranularity", byref(c_size_t()), byref(bad), 0, want=want)
        call("cuMemCreate", byref(value), PART, byref(bad), 0, want=want)
    call("cuMemGetAllocationGranularity", byref(c_size_t()), byref(DEVICE), 2, want=INVALID_VALUE)
    for size, flags, want in ((0, 0, INVALID_VALUE), (PART + 1, 0, INVALID_VALUE), (PART, 1, INVALID_VALUE), (PART << 40, 0, OUT_OF_MEMORY)):
        call("cuMemCreate", byref(value), size, byref(DEVICE), flags, want=want)
    for arguments, want in (((MIB, 0, 0, 0), INVALID_VALUE), ((PART, 3, 0, 0), INVALID_VALUE), ((PART, 0, 0, 1), INVALID_VALUE),
                            ((PART << 42, 0, 0, 0), OUT_OF_MEMORY), ((-PART, 0, 0, 0), OUT_OF_MEMORY)):
        call("cuMemAddressReserve", byref(value), *arguments, want=want)
    wide = out(c_uint64, "cuMemAddressReserve", PART, 1 << 30, 0, 0).value
    assert wide % (1 << 30) == 0
    call("cuMemAddressFree", wide, PART)
    assert out(c_uint64, "cuMemAddressReserve", PART, 0, wide, 0).value % PART == 0  # a wish
    for address, size, offset, which, flags in ((base, PART, PART, handle, 0), (base, PART, 0, handle, 1), (base, 2 * PART, 0, handle, 0), (base, MIB, 0, handle, 0),
                                                (base + MIB, PART, 0, handle, 0), (base + 2 * PART, PART, 0, handle, 0), (base, PART, 0, 1, 0)):
        call("cuMemMap", address, size, offset, which, flags, want=INVALID_VALUE)
    call("cuMemSetAccess", base, PART, byref(Access(1, 0, ALL)), 1, want=INVALID_VALUE)  # nothing is mapped
    call("cuMemMap", base, PART, 0, handle, 0)
    call("cuMemMap", base, PART, 0, handle, 0, want=INVALID_VALUE)
    for size, access, count, want in ((2 * PART, Access(1, 0, ALL), 1, INVALID_VALUE), (PART, Access(1, 0, 2), 1, INVALID_VALUE), (PART, Access(1, 0, ALL), 0, INVALID_VALUE),
                                      (PART, Access(1, 9, ALL), 1, INVALID_DEVICE), (PART, Access(2, 0, ALL), 1, NOT_SUPPORTED)):
        call("cuMemSetAccess", base, size, byref(access), count, want=want)
    call("cuMemGetAccess", byref(value), byref((c_int * 2)(1, 0)), base + PART, want=INVALID_VALUE)
    call("cuMemGetAccess", byref(value), byref((c_int * 2)(1, 9)), base, want=INVALID_DEVICE)
    call("cuMemRetainAllocationHandle", byref(value), base + PART, want=INVALID_VALUE)
    call("cuMemExportToShareableHandle", byref(c_int()), c_uint64(handle), 1, c_uint64(0), want=NOT_SUPPORTED)
    call("cuMemImportFromShareableHandle", byref(value), None, 1, want=NOT_SUPPORTED)
    call("cuMemAddressFree", base, PART, want=INVALID_VALUE)
    call("cuMemAddressFree", base + PART, PART, want=INVALID_VALUE)
    call("cuMemUnmap", base + PART, PART, want=INVALID_VALUE)
    call("cuMemUnmap", base, PART)
    call("cuMemRelease", handle)
    call("cuMemRelease", 0, want=INVALID_VALUE)
    call("cuMemAddressFree", base, 2 * PART)


def stopped(function, case):
    """A kernel that adds at the end of the first of two mappings, of which the second is as the case says."""
    base = reserve(2 * PART)
    for part in range(2):
        call("cuMemMap", base + part * PART, PART, 0, create(), 0)
    allow(base)
    if case == "read":
        allow(base + PART, flags=READ)
    if case == "unmapped":
        allow(base + PART)
        call("cuMemUnmap", base + PART, PART)
    add(function, base + PART - 64, 1, want=ILLEGAL_ADDRESS if case != "read" else 719)


start()
kernel = out(c_void_p, "cuModuleGetFunction", out(c_void_p, "cuModuleLoadData", PTX_ADD), b"add")
if len(sys.argv) > 2:
    stopped(kernel, sys.argv[2])
    sys.exit(0)
test_grows(kernel)
test_twice(kernel)
test_errors()
for name, said in (("closed", "access outside every buffer"), ("unmapped", "access outside every buffer"), ("read", "'mapping 2'")):
    ran = subprocess.run([sys.executable, *sys.argv, name], capture_output=True, text=True)
    assert ran.returncode == 0 and said in ran.stderr, ran.stderr
print("cuda_virtual: ok")
