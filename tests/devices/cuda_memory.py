#!/usr/bin/env python3
"""usage: cuda_memory.py LIBCUDA.so.1

Memory of the host that kernels reach, of the heap and of blocks; pools, and what addresses are."""
import ctypes
import threading
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import call, out, start
from cuda_machine import Machine, read


def test_memory():
    """Memory of the host that the device reaches, pools, and what addresses are."""
    machine, host, address = Machine(), c_void_p(), c_uint64()
    call("cuMemHostAlloc", byref(host), c_size_t(128), 2)
    call("cuMemHostGetDevicePointer_v2", byref(address), host, 0)
    ctypes.memset(host, 0, 128)
    machine.launch(machine.add, None, address, c_uint32(6))
    call("cuMemcpyAsync", machine.memory, c_uint64(host.value), c_size_t(128), None)
    assert read(machine.memory, 32) == [6] * 32 and ctypes.string_at(host, 4) == b"\6\0\0\0"
    kind = c_uint()
    call("cuPointerGetAttribute", byref(kind), 2, c_uint64(host.value))
    assert kind.value == 1
    call("cuPointerGetAttribute", byref(kind), 2, machine.memory)
    assert kind.value == 2
    call("cuPointerGetAttribute", byref(kind), 2, c_uint64(64), want=1)
    own = ctypes.create_string_buffer(128)
    call("cuMemHostRegister_v2", own, c_size_t(128), 0)
    call("cuMemHostRegister_v2", own, c_size_t(64), 0, want=712)
    call("cuMemHostGetDevicePointer_v2", byref(address), c_void_p(ctypes.addressof(own) + 4), 0)
    assert address.value == ctypes.addressof(own) + 4  # one address for both
    machine.launch(machine.add, None, c_uint64(ctypes.addressof(own)), c_uint32(3))
    call("cuCtxSynchronize")
    assert own.raw == b"\3\0\0\0" * 32
    call("cuMemHostUnregister", own)
    call("cuMemHostUnregister", own, want=713)
    call("cuMemFreeHost", host)
    call("cuMemFreeHost", host, want=1)
    pool, other = out(c_void_p, "cuDeviceGetDefaultMemPool", 0), c_uint64()
    call("cuMemAllocFromPoolAsync", byref(other), c_size_t(256), pool, None)
    call("cuMemFreeAsync", other, None)
    call("cuMemFreeAsync", c_uint64(other.value + 8), None, want=1)
    call("cuCtxSynchronize")
    call("cuMemcpyDtoH_v2", own, other, c_size_t(4), want=1)
    threshold = c_uint64(1 << 20)
    call("cuMemPoolSetAttribute", pool, 4, byref(threshold))
    threshold.value = 0
    call("cuMemPoolGetAttribute", pool, 4, byref(threshold))
    assert threshold.value == 1 << 20
    machine.free()


def test_memory_of_the_heap():
    """A copy from or to memory that is not pinned is done when the call returns, and behind the work of its stream, which no other one waits for."""
    gate, stream = threading.Event(), out(c_void_p, "cuStreamCreate", 1)
    wait = ctypes.CFUNCTYPE(None, c_void_p)(lambda user: gate.wait(20))
    address, got = out(c_uint64, "cuMemAlloc_v2", c_size_t(64)), (c_uint32 * 16)()
    call("cuMemsetD32_v2", address, 1, c_size_t(16))
    call("cuLaunchHostFunc", stream, wait, None)
    call("cuMemsetD32Async", address, 7, c_size_t(16), stream)
    opener = threading.Timer(0.05, gate.set)
    opener.start()
    call("cuMemcpyDtoHAsync_v2", got, address, c_size_t(64), stream)
    opener.join()
    assert list(got) == [7] * 16, list(got)
    call("cuMemFree_v2", address)
    call("cuStreamDestroy_v2", stream)


def test_shared():
    """Blocks have 48 KiB of shared memory, 4 of which the kernel declares, and more where the program requests it."""
    machine, dynamic = Machine(), 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    most = out(c_int, "cuFuncGetAttribute", dynamic, machine.double).value
    assert most == 44 * 1024
    for size, want in ((most, 0), (most + 1, 1), (2**32 - 1, 1)):
        call("cuLaunchKernel", machine.double, 1, 1, 1, 32, 1, 1, c_uint(size), None, machine.values(machine.memory), None, want=want)
    call("cuFuncSetAttribute", machine.double, dynamic, 65536)
    for size, want in ((65536, 0), (65537, 1)):
        call("cuLaunchKernel", machine.double, 1, 1, 1, 32, 1, 1, c_uint(size), None, machine.values(machine.memory), None, want=want)
    call("cuCtxSynchronize")
    machine.free()


start()
for test in (test_memory, test_memory_of_the_heap, test_shared):
    test()
print("cuda_memory: ok")
