#!/usr/bin/env python3
"""usage: cuda_attributes.py LIBCUDA.so.1 [managed]

What programs set and get of streams, contexts, addresses and references; lists of memory operations and of copies. `managed`: of managed memory
and of a second device, in a process of its own with HEXEC_UNIFIED=1 and HEXEC_DEVICES=2."""
import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import call, cuda, out, start

INVALID_VALUE, INVALID_DEVICE, NOT_READY, NOT_SUPPORTED = 1, 101, 600, 801
PCI_DEVICE_ID = 34
PEER_UNSUPPORTED, PEER_ALREADY_ENABLED, PEER_NOT_ENABLED = 217, 704, 705
WINDOW, POLICY, PRIORITY, DOMAIN_MAP, DOMAIN = 1, 3, 8, 9, 10
WAIT_32, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER = range(1, 7)


class Window(ctypes.Structure):
    """CUaccessPolicyWindow"""
    _fields_ = [("base", c_void_p), ("bytes", c_size_t), ("ratio", c_float), ("hit", c_int), ("miss", c_int)]


class Operation(ctypes.Structure):
    """CUstreamBatchMemOpParams"""
    _fields_ = [("kind", c_int), ("address", c_uint64), ("value", c_uint64), ("flags", c_uint), ("alias", c_uint64), ("pad", c_uint64)]


class Location(ctypes.Structure):
    """CUmemLocation"""
    _fields_ = [("kind", c_int), ("device", c_int)]


class CopyAttributes(ctypes.Structure):
    """CUmemcpyAttributes"""
    _fields_ = [("order", c_int), ("source", Location), ("target", Location), ("flags", c_uint)]


def attribute_of(stream, attribute, kind=c_int):
    value = (ctypes.c_uint64 * 8)()  # as large as CUlaunchAttributeValue
    call("cuStreamGetAttribute", stream, attribute, value)
    return kind.from_buffer(value)


def test_streams():
    stream, other = (out(c_void_p, "cuStreamCreateWithPriority", 0, priority) for priority in (-2, 0))
    for handle in (stream, None):
        assert [attribute_of(handle, which).value for which in (POLICY, DOMAIN)] == [1, 0]
        assert list(attribute_of(handle, DOMAIN_MAP, ctypes.c_uint8 * 2)) == [0, 1]
        call("cuStreamSetAttribute", handle, POLICY, byref(c_int(3)))
        assert attribute_of(handle, POLICY).value == 3
    assert attribute_of(stream, PRIORITY).value == -2
    call("cuStreamSetAttribute", stream, PRIORITY, byref(c_int(-9)))
    priority = c_int()
    call("cuStreamGetPriority", stream, byref(priority))
    assert priority.value == -5
    call("cuStreamSetAttribute", stream, WINDOW, byref(Window(4096, 128, 0.5, 2, 1)))
    call("cuStreamSetAttribute", stream, DOMAIN, byref(c_int(1)))
    call("cuStreamSetAttribute", stream, DOMAIN_MAP, (ctypes.c_uint8 * 2)(1, 1))
    call("cuStreamCopyAttributes", other, stream)
    window = attribute_of(other, WINDOW, Window)
    assert (window.base, window.bytes, window.ratio, window.hit, window.miss) == (4096, 128, 0.5, 2, 1)
    assert attribute_of(other, DOMAIN).value == 1 and list(attribute_of(other, DOMAIN_MAP, ctypes.c_uint8 * 2)) == [1, 1]
    assert attribute_of(other, PRIORITY).value == 0  # a stream's own
    for attribute, value in ((POLICY, c_int(0)), (POLICY, c_int(5)), (DOMAIN, c_int(2)), (DOMAIN_MAP, (ctypes.c_uint8 * 2)(0, 2)), (WINDOW, Window(0, 0, 1.5, 0, 0)),
                             (WINDOW, Window(0, 0, 1, 3, 0)), (WINDOW, Window(0, 0, 1, 0, 2)), (4, c_int(1)), (99, c_int(0))):
        call("cuStreamSetAttribute", stream, attribute, byref(value), want=INVALID_VALUE)
    call("cuStreamSetAttribute", None, PRIORITY, byref(c_int(0)), want=INVALID_VALUE)
    call("cuStreamGetAttribute", stream, 4, byref(c_uint64()), want=INVALID_VALUE)
    call("cuStreamGetAttribute", stream, POLICY, None, want=INVALID_VALUE)
    for handle in (stream, None):
        device = c_int(7)
        call("cuStreamGetDevice", handle, byref(device))
        assert device.value == 0
    call("cuStreamGetDevice", stream, None, want=INVALID_VALUE)
    call("cuStreamDestroy", stream)
    call("cuStreamDestroy_v2", other)


def test_operations():
    stream, other, memory = out(c_void_p, "cuStreamCreate", 1), out(c_void_p, "cuStreamCreate", 1), out(c_uint64, "cuMemAlloc_v2", c_size_t(64))
    call("cuMemsetD8_v2", memory, 0, c_size_t(64))
    at = memory.value
    items = (Operation * 5)(Operation(WAIT_32, at, 1 << 32 | 5, 1), Operation(WRITE_64, at + 8, 1 << 40), Operation(BARRIER), Operation(WAIT_64, at + 8, 1 << 40, 1),
                            Operation(WRITE_32, at + 16, 9))
    call("cuStreamBatchMemOp_v2", stream, 5, items, 0)
    call("cuStreamQuery", stream, want=NOT_READY)
    call("cuStreamWriteValue32", other, memory, c_uint32(5), 0)
    call("cuStreamSynchronize", stream)
    got = (c_uint64 * 3)()
    call("cuMemcpyDtoH_v2", got, memory, c_size_t(24))
    assert list(got) == [5, 1 << 40, 9]
    call("cuStreamBatchMemOp", stream, 0, None, 0)
    first = Operation(WRITE_32, at, 1)
    for bad, want in ((Operation(0, at), INVALID_VALUE), (Operation(7, at), INVALID_VALUE), (Operation(FLUSH), NOT_SUPPORTED), (Operation(WAIT_32, at, 1, 1 << 30), NOT_SUPPORTED),
                      (Operation(WRITE_64, at + 4), INVALID_VALUE), (Operation(WRITE_32, at + 64), INVALID_VALUE)):
        call("cuStreamBatchMemOp_v2", stream, 2, (Operation * 2)(first, bad), 0, want=want)
    for count, flags in ((257, 0), (1, 1)):
        call("cuStreamBatchMemOp_v2", stream, count, items, flags, want=INVALID_VALUE)
    call("cuMemcpyDtoH_v2", got, memory, c_size_t(8))
    assert got[0] == 5  # nothing of a bad list is done
    for name, thing in (("cuStreamDestroy_v2", stream), ("cuStreamDestroy_v2", other), ("cuMemFree_v2", memory)):
        call(name, thing)


def test_copies():
    stream, memory = out(c_void_p, "cuStreamCreate", 0), out(c_uint64, "cuMemAlloc_v2", c_size_t(64))
    source, target = (c_uint32 * 4)(1, 2, 3, 4), (c_uint32 * 4)()
    to = (c_uint64 * 3)(memory.value, memory.value + 16, ctypes.addressof(target))
    from_ = (c_uint64 * 3)(ctypes.addressof(source), memory.value, memory.value + 16)
    sizes, attributes, firsts, failed = (c_size_t * 3)(16, 16, 16), (CopyAttributes * 2)(CopyAttributes(order=1), CopyAttributes(order=3)), (c_size_t * 2)(0, 2), c_size_t(7)
    call("cuMemcpyBatchAsync", to, from_, sizes, c_size_t(3), attributes, firsts, c_size_t(2), byref(failed), stream)
    call("cuStreamSynchronize", stream)
    assert list(target) == [1, 2, 3, 4]
    target[:] = [0] * 4
    call("cuMemcpyBatchAsync_v2", to, from_, sizes, c_size_t(3), attributes, firsts, c_size_t(1), stream)
    call("cuStreamSynchronize", stream)
    assert list(target) == [1, 2, 3, 4]
    call("cuMemcpyBatchAsync", to, from_, sizes, c_size_t(3), attributes, firsts, c_size_t(2), byref(failed), None, want=INVALID_VALUE)
    assert failed.value == (1 << 64) - 1
    sizes[1] = 1000
    call("cuMemcpyBatchAsync", to, from_, sizes, c_size_t(3), attributes, firsts, c_size_t(2), byref(failed), stream, want=INVALID_VALUE)
    assert failed.value == 1
    for bad in ((c_size_t * 2)(1, 2), (c_size_t * 2)(0, 0), (c_size_t * 2)(0, 3)):
        call("cuMemcpyBatchAsync", to, from_, sizes, c_size_t(3), attributes, bad, c_size_t(2), byref(failed), stream, want=INVALID_VALUE)
    for order in (0, 4):
        attributes[1].order = order
        call("cuMemcpyBatchAsync", to, from_, sizes, c_size_t(3), attributes, firsts, c_size_t(2), byref(failed), stream, want=INVALID_VALUE)
    call("cuStreamDestroy_v2", stream)
    call("cuMemFree_v2", memory)


def pointer(attribute, address, kind):
    return out(kind, "cuPointerGetAttribute", attribute, c_uint64(address)).value


def test_pointers():
    one, two = (out(c_uint64, "cuMemAlloc_v2", c_size_t(size)).value for size in (64, 96))
    for number in (7, 20):
        assert pointer(number, one, c_uint64) == pointer(number, one + 63, c_uint64) != pointer(number, two, c_uint64) > 0
    assert (pointer(18, two + 4, c_size_t), pointer(19, two + 4, c_uint64)) == (96, two)
    assert [pointer(number, one, c_uint) for number in (6, 8, 10, 15, 16)] == [0, 0, 0, 0, 3] and pointer(14, one, c_uint64) == 0
    call("cuPointerSetAttribute", byref(c_uint(1)), 6, c_uint64(one))
    assert pointer(6, one, c_uint) == 1 and pointer(6, two, c_uint) == 0
    values = [c_uint64(5), c_uint(5), c_size_t(5)]
    call("cuPointerGetAttributes", 3, (c_int * 3)(7, 6, 18), (c_void_p * 3)(*[ctypes.addressof(value) for value in values]), c_uint64(1 << 20))
    assert [value.value for value in values] == [0, 0, 0]
    for value, attribute, address in ((None, 6, one), (byref(c_uint(1)), 7, one), (byref(c_uint(1)), 6, 1 << 20)):
        call("cuPointerSetAttribute", value, attribute, c_uint64(address), want=INVALID_VALUE)
    call("cuMemRangeGetAttribute", byref(c_int()), c_size_t(4), 1, c_uint64(one), c_size_t(64), want=INVALID_VALUE)  # not managed
    for address in (one, two):
        call("cuMemFree_v2", c_uint64(address))


def test_contexts():
    flags, context = c_uint(), c_void_p()
    call("cuCtxSetFlags", 4)
    call("cuCtxGetFlags", byref(flags))
    assert flags.value == 4
    for bad in (3, 1 << 10):
        call("cuCtxSetFlags", bad, want=INVALID_VALUE)
    call("cuCtxCreate", byref(context), 0, 0)  # the first names do as the later ones
    call("cuCtxPopCurrent", byref(context))
    call("cuCtxPushCurrent", context)
    call("cuCtxDestroy", context)
    event = out(c_void_p, "cuEventCreate", 0)
    call("cuEventDestroy", event)
    device_has = {number: out(c_int, "cuDeviceGetAttribute", number, 0).value for number in (19, 41, 83, 92, 95, 115, 122)}
    assert device_has == {19: 1, 41: 1, 83: 1, 92: 1, 95: 1, 115: 1, 122: 1}, device_has
    found = {}
    for name, version in (("cuMemAdvise", 12010), ("cuMemAdvise", 12020), ("cuMemPrefetchAsync", 8000), ("cuMemPrefetchAsync", 13000), ("cuMemcpyBatchAsync", 12080),
                          ("cuMemcpyBatchAsync", 13000), ("cuStreamWaitValue32", 12000)):
        found[name, version] = c_void_p()
        call("cuGetProcAddress_v2", name.encode(), byref(found[name, version]), version, c_uint64(0), None)
    third = c_void_p()
    call("cuGetProcAddress_v2", b"cuTexRefSetAddress2D", byref(third), 12000, c_uint64(0), None)
    assert third.value == ctypes.cast(cuda.cuTexRefSetAddress2D_v3, c_void_p).value
    for (name, version), function in found.items():
        is_second = version >= {"cuMemAdvise": 12020, "cuMemPrefetchAsync": 12020, "cuMemcpyBatchAsync": 13000}.get(name, 0)
        assert function.value == ctypes.cast(getattr(cuda, name + "_v2" * is_second), c_void_p).value, (name, version)


def test_places():
    """Calls that name a context or a place, and what is not there."""
    context, device, other, pool, same = c_void_p(), c_int(7), c_void_p(5), c_void_p(), c_void_p()
    call("cuCtxGetCurrent", byref(context))
    for which in (context, None):
        call("cuCtxGetDevice_v2", byref(device), which)
        call("cuCtxSynchronize_v2", which)
        assert device.value == 0
    call("cuStreamGetCtx_v2", None, byref(device_context := c_void_p()), byref(other))
    assert (device_context.value, other.value) == (context.value, None)
    call("cuDeviceGetExecAffinitySupport", byref(device), 0, 0)
    call("cuDeviceGetExecAffinitySupport", byref(device), 1, 0, want=INVALID_VALUE)
    call("cuDeviceGetDefaultMemPool", byref(pool), 0)
    for name in ("cuMemGetDefaultMemPool", "cuMemGetMemPool"):
        call(name, byref(same), byref(Location(1, 0)), 1)
        assert same.value == pool.value
        for location, kind, want in ((Location(1, 0), 0, INVALID_VALUE), (Location(1, 0), 2, NOT_SUPPORTED), (Location(2, 0), 1, NOT_SUPPORTED), (Location(1, 9), 1, INVALID_DEVICE)):
            call(name, byref(same), byref(location), kind, want=want)
    call("cuMemSetMemPool", byref(Location(1, 0)), 1, pool)
    for location, flags in ((Location(1, 0), 3), (Location(2, 0), 0)):
        call("cuMemPoolGetAccess", byref(device), pool, byref(location))
        assert device.value == flags
    call("cuMemPoolGetAccess", byref(device), pool, byref(Location(1, 9)), want=INVALID_DEVICE)
    call("cuLibraryGetUnifiedFunction", byref(c_void_p()), context, b"none", want=500)
    call("cuLibraryGetUnifiedFunction", byref(c_void_p()), None, b"none", want=400)
    call("cuLibraryGetUnifiedFunction", byref(c_void_p()), context, None, want=INVALID_VALUE)
    for name in ("cuIpcGetMemHandle", "cuGraphicsMapResources", "cuTensorMapEncodeTiled"):
        call(name, None, None, want=NOT_SUPPORTED)
        call("cuGetProcAddress_v2", name.encode(), byref(c_void_p()), 12000, c_uint64(0), None, want=500)


def test_references():
    texture = out(c_void_p, "cuTexRefCreate")
    call("cuTexRefSetFilterMode", texture, 1)
    mode = c_int()
    call("cuTexRefGetFilterMode", byref(mode), texture)
    assert mode.value == 1
    memory, offset = out(c_uint64, "cuMemAlloc_v2", c_size_t(512)), c_size_t(9)
    call("cuTexRefSetAddress_v2", byref(offset), texture, memory, c_size_t(512))
    got = c_uint64()
    call("cuTexRefGetAddress_v2", byref(got), texture)
    assert (offset.value, got.value) == (0, memory.value)
    call("cuTexRefDestroy", texture)
    call("cuTexRefDestroy", None, want=INVALID_VALUE)
    call("cuTexRefCreate", None, want=INVALID_VALUE)
    call("cuMemFree_v2", memory)


def test_managed():
    is_unified = os.environ.get("HEXEC_UNIFIED") == "1"
    memory, size = out(c_uint64, "cuMemAllocManaged", c_size_t(4096), 1), c_size_t(4096)
    call("cuMemAllocManaged", byref(c_uint64()), c_size_t(4096), 0, want=INVALID_VALUE)
    place = (c_int * 4).from_address(memory.value)
    assert list(place) == [0] * 4
    call("cuMemsetD32_v2", memory, 5, c_size_t(3))
    assert list(place) == [5, 5, 5, 0] and pointer(4, memory.value, c_uint64) == memory.value

    def range_of(attribute, count=1):
        got = (c_int * count)()
        call("cuMemRangeGetAttribute", got, c_size_t(4 * count), attribute, memory, c_size_t(100))
        return list(got)

    def ranges():
        return [range_of(attribute)[0] for attribute in (1, 2, 4, 5, 6, 7, 8)] + range_of(3, 3)

    assert pointer(8, memory.value, c_uint) == 1
    assert ranges() == [0, -2, -2, 0, -2, 0, -2, -2, -2, -2]
    for advice, device in ((1, 0), (3, 0), (5, 0), (5, -1)):
        call("cuMemAdvise", memory, size, advice, device)
    call("cuMemPrefetchAsync", memory, size, -1, None)
    assert ranges() == [1, 0, -1, 1, 0, 2, -1, -1, 0, -2]
    for advice, location in ((2, Location(0, 0)), (3, Location(2, 0)), (6, Location(2, 0))):
        call("cuMemAdvise_v2", memory, size, advice, location)
    call("cuMemPrefetchAsync_v2", memory, size, Location(1, 0), 0, None)
    assert ranges() == [0, -1, 0, 2, -1, 1, 0, 0, -2, -2]
    numbers = c_int(7), (c_int * 2)(7, 7)
    call("cuMemRangeGetAttributes", (c_void_p * 2)(*[ctypes.addressof(number) for number in numbers]), (c_size_t * 2)(4, 8), (c_int * 2)(1, 3), c_size_t(2), memory, size)
    assert (numbers[0].value, list(numbers[1])) == (0, [0, -2])
    for advice, device, want in ((0, 0, INVALID_VALUE), (7, 0, INVALID_VALUE), (3, 9, INVALID_DEVICE)):
        call("cuMemAdvise", memory, size, advice, device, want=want)
    call("cuMemPrefetchAsync", memory, size, 9, None, want=INVALID_DEVICE)
    call("cuMemPrefetchAsync_v2", memory, size, Location(0, 0), 0, None, want=INVALID_VALUE)
    call("cuMemPrefetchAsync_v2", memory, size, Location(1, 0), 1, None, want=INVALID_VALUE)
    for attribute, count in ((0, 4), (9, 4), (1, 8), (3, 6), (3, 0)):
        call("cuMemRangeGetAttribute", (c_int * 4)(), c_size_t(count), attribute, memory, size, want=INVALID_VALUE)
    assert [out(c_int, "cuDeviceGetAttribute", number, 0).value for number in (41, 83, 88, 89)] == [1, 1, is_unified, 1]
    call("cuMemFree_v2", memory)


def test_peers():
    """Access between devices is on or off, from each to each."""
    assert [out(c_int, "cuDeviceGetAttribute", PCI_DEVICE_ID, device).value for device in (0, 1)] == [0, 1]
    first, second = (out(c_void_p, "cuDevicePrimaryCtxRetain", device) for device in (0, 1))
    call("cuCtxSetCurrent", first)
    call("cuCtxEnablePeerAccess", first, 0, want=PEER_UNSUPPORTED)
    call("cuCtxEnablePeerAccess", second, 1, want=INVALID_VALUE)
    call("cuCtxDisablePeerAccess", second, want=PEER_NOT_ENABLED)
    call("cuCtxEnablePeerAccess", second, 0)
    call("cuCtxEnablePeerAccess", second, 0, want=PEER_ALREADY_ENABLED)
    call("cuCtxSetCurrent", second)
    call("cuCtxDisablePeerAccess", first, want=PEER_NOT_ENABLED)
    call("cuCtxSetCurrent", first)
    call("cuCtxDisablePeerAccess", second)
    call("cuCtxDisablePeerAccess", second, want=PEER_NOT_ENABLED)
    call("cuCtxEnablePeerAccess", second, 0)
    call("cuDevicePrimaryCtxReset_v2", 0)
    call("cuCtxEnablePeerAccess", second, 0)


def test_managed_variables():
    """The host reaches these of a module where kernels do, and no others."""
    module = out(c_void_p, "cuModuleLoadData", b""".version 7.5
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 both = 7;
.visible .global .align 4 .u32 alone = 8;
\0""")
    address, size, got = c_uint64(), c_size_t(), c_uint32()
    call("cuLibraryGetManaged", byref(address), byref(size), module, b"both")
    assert size.value == 4 and c_uint32.from_address(address.value).value == 7
    assert out(c_uint64, "cuLibraryGetGlobal", None, module, b"both").value == address.value
    c_uint32.from_address(address.value).value = 9
    call("cuMemcpyDtoH_v2", byref(got), address, c_size_t(4))
    call("cuPointerGetAttribute", byref(size), 8, address)
    assert (got.value, size.value) == (9, 1)
    for library, name, want in ((module, b"alone", 500), (module, b"none", 500), (None, b"both", 400), (module, None, INVALID_VALUE)):
        call("cuLibraryGetManaged", byref(address), byref(size), library, name, want=want)
    call("cuModuleUnload", module)


start()
if len(sys.argv) > 2:
    test_managed()
    test_peers()
    sys.exit(0)
test_streams()
test_operations()
test_copies()
test_pointers()
test_contexts()
test_places()
test_references()
test_managed()
test_managed_variables()
subprocess.run([sys.executable, *sys.argv, "managed"], check=True, env={**os.environ, "HEXEC_UNIFIED": "1", "HEXEC_DEVICES": "2"})
print("cuda_attributes: ok")
