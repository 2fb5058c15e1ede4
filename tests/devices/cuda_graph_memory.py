#!/usr/bin/env python3
"""usage: cuda_graph_memory.py LIBCUDA.so.1 [use]

Memory that nodes of graphs allocate and free, made by calls and by captures. `use`: a kernel uses some before the graph runs, in a process of
its own."""
import ctypes
import subprocess
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import Fill, KernelParams, PTX_ADD, call, out, start

INVALID_VALUE, ILLEGAL_ADDRESS, NOT_SUPPORTED, UPDATE_FAILURE = 1, 700, 801, 910
AUTO_FREE = c_uint64(1)


class Wanted(ctypes.Structure):
    """CUDA_MEM_ALLOC_NODE_PARAMS"""
    _fields_ = [("kind", c_int), ("handles", c_int), ("place", c_int), ("device", c_int), ("security", c_void_p), ("most", c_size_t),
                ("reserved", ctypes.c_uint8 * 56), ("access", c_void_p), ("access_count", c_size_t), ("bytes", c_size_t), ("address", c_uint64)]


assert ctypes.sizeof(Wanted) == 120
kept = []


def nodes(*items):
    return (c_void_p * len(items))(*items), c_size_t(len(items))


def wanted(size, device=0):
    return Wanted(kind=1, place=1, device=device, bytes=size)


def values(*items):
    kept.append(items)
    kept.append((c_void_p * len(items))(*[ctypes.addressof(item) for item in items]))
    return kept[-1]


def attribute(number):
    value = c_uint64()
    call("cuDeviceGetGraphMemAttribute", 0, number, byref(value))
    return value.value


def load():
    start()
    return out(c_void_p, "cuModuleGetFunction", out(c_void_p, "cuModuleLoadData", PTX_ADD), b"add")


def graph_of(function, has_free):
    """Allocates, fills with 5, adds 3, copies to the host, and frees; the graph, its memory, and where the numbers come."""
    graph, params, got = out(c_void_p, "cuGraphCreate", 0), wanted(1024), (c_uint32 * 32)()
    made = out(c_void_p, "cuGraphAddMemAllocNode", graph, None, c_size_t(0), byref(params))
    address = c_uint64(params.address)
    fill = out(c_void_p, "cuGraphAddMemsetNode", graph, *nodes(made), byref(Fill(params.address, 0, 5, 4, 32, 1)), None)
    kernel = KernelParams(function, (c_uint * 3)(1, 1, 1), (c_uint * 3)(32, 1, 1), 0, ctypes.cast(values(address, c_uint32(3)), c_void_p), None)
    add = out(c_void_p, "cuGraphAddKernelNode", graph, *nodes(fill), byref(kernel))
    copy = (c_uint64 * 25)()  # CUDA_MEMCPY3D
    copy[4], copy[6], copy[15], copy[16], copy[22:25] = 2, params.address, 1, ctypes.addressof(got), (128, 1, 1)
    back = out(c_void_p, "cuGraphAddMemcpyNode", graph, *nodes(add), byref(copy), None)
    if has_free:
        gone = out(c_void_p, "cuGraphAddMemFreeNode", graph, *nodes(back), address)
        kind, found, params = c_int(), c_uint64(), Wanted()
        call("cuGraphNodeGetType", gone, byref(kind))
        call("cuGraphMemFreeNodeGetParams", gone, byref(found))
        call("cuGraphMemAllocNodeGetParams", made, byref(params))
        assert (kind.value, found.value, params.address, params.bytes) == (11, address.value, address.value, 1024)
        call("cuGraphAddMemFreeNode", byref(c_void_p()), graph, *nodes(back), address, want=INVALID_VALUE)
        call("cuGraphMemFreeNodeGetParams", made, byref(found), want=INVALID_VALUE)
    return graph, address, got, made


def test_within(function):
    """Memory that the graph itself frees: it can be launched again and again."""
    graph, address, got, made = graph_of(function, True)
    for name, *arguments in (("cuGraphClone", byref(c_void_p()), graph), ("cuGraphDestroyNode", made),
                             ("cuGraphAddChildGraphNode", byref(c_void_p()), out(c_void_p, "cuGraphCreate", 0), None, c_size_t(0), graph)):
        call(name, *arguments, want=NOT_SUPPORTED)
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuGraphInstantiateWithFlags", byref(c_void_p()), graph, c_uint64(0), want=NOT_SUPPORTED)
    for _ in range(3):
        got[:] = [0] * 32
        call("cuGraphLaunch", ready, None)
        call("cuCtxSynchronize")
        assert list(got) == [8] * 32, list(got)
    call("cuMemcpyDtoH_v2", got, address, c_size_t(4), want=INVALID_VALUE)
    call("cuMemFree_v2", address, want=INVALID_VALUE)
    call("cuMemFreeAsync", address, None, want=INVALID_VALUE)
    assert (attribute(0), attribute(1)) == (0, 1024) and attribute(2) >= 1024
    call("cuDeviceGraphMemTrim", 0)
    assert attribute(2) == 0 and attribute(3) >= 1024
    call("cuDeviceSetGraphMemAttribute", 0, 3, byref(c_uint64(0)))
    assert attribute(3) == 0
    info = (c_uint64 * 3)()
    call("cuGraphExecUpdate_v2", ready, graph, info)
    other = graph_of(function, True)[0]
    call("cuGraphExecUpdate_v2", ready, other, info, want=UPDATE_FAILURE)
    call("cuGraphExecDestroy", ready)
    call("cuGraphExecDestroy", out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0)))
    call("cuGraphDestroy", graph)
    call("cuGraphDestroy", other)


def test_beyond(function):
    """Memory that lives on behind its graph: others free it, or the next launch does."""
    graph, address, got, _ = graph_of(function, False)
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuGraphLaunch", ready, None)
    call("cuGraphLaunch", ready, None, want=INVALID_VALUE)  # it is there still
    call("cuMemsetD32_v2", address, 9, c_size_t(32))
    call("cuMemFreeAsync", address, None)
    call("cuGraphLaunch", ready, None)
    call("cuCtxSynchronize")
    assert list(got) == [8] * 32
    base, size = c_uint64(), c_size_t()
    call("cuMemGetAddressRange_v2", byref(base), byref(size), c_uint64(address.value + 100))
    assert (base.value, size.value) == (address.value, 1024)
    call("cuMemFree_v2", address)
    call("cuMemFree_v2", address, want=INVALID_VALUE)
    call("cuGraphLaunch", ready, None)
    frees = out(c_void_p, "cuGraphCreate", 0)
    call("cuGraphAddMemFreeNode", byref(c_void_p()), frees, None, c_size_t(0), address)
    free = out(c_void_p, "cuGraphInstantiateWithFlags", frees, c_uint64(0))
    call("cuGraphLaunch", free, None)
    call("cuGraphLaunch", free, None, want=INVALID_VALUE)
    call("cuCtxSynchronize")
    assert attribute(0) == 0
    call("cuGraphExecDestroy", ready)
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, AUTO_FREE)
    flags = c_uint64()
    call("cuGraphExecGetFlags", ready, byref(flags))
    assert flags.value == 1
    for _ in range(3):
        got[:] = [0] * 32
        call("cuGraphLaunch", ready, None)
        call("cuCtxSynchronize")
        assert list(got) == [8] * 32 and attribute(0) == 1024
    for name, thing in (("cuGraphExecDestroy", ready), ("cuGraphExecDestroy", free), ("cuGraphDestroy", graph), ("cuGraphDestroy", frees)):
        call(name, thing)
    call("cuMemsetD32_v2", address, 1, c_size_t(256))  # it outlives its graph
    call("cuMemFree_v2", address)
    assert attribute(0) == 0 and attribute(2) == 0


def test_capture(function):
    stream, graph, got = out(c_void_p, "cuStreamCreate", 0), c_void_p(), (c_uint32 * 32)()
    call("cuStreamBeginCapture_v2", stream, 0)
    address = out(c_uint64, "cuMemAllocAsync", c_size_t(128), stream)
    of_device, inside = 2, c_uint64(address.value + 8)  # memory of the device, before it is there, too
    assert out(c_uint, "cuPointerGetAttribute", of_device, inside).value == of_device
    assert out(c_uint64, "cuPointerGetAttribute", 11, inside).value == address.value
    call("cuMemsetD32Async", address, 4, c_size_t(32), stream)
    call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, stream, values(address, c_uint32(2)), None)
    call("cuMemcpyDtoHAsync_v2", got, address, c_size_t(128), stream)
    call("cuMemsetD32Async", c_uint64(address.value + 4), 4, c_size_t(32), stream, want=INVALID_VALUE)
    call("cuMemFreeAsync", address, stream)
    call("cuMemFreeAsync", address, stream, want=INVALID_VALUE)
    call("cuStreamEndCapture", stream, byref(graph))
    count = c_size_t()
    call("cuGraphGetNodes", graph, None, byref(count))
    assert count.value == 5 and got[0] == 0
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuStreamBeginCapture_v2", stream, 0)
    call("cuGraphLaunch", ready, stream, want=NOT_SUPPORTED)
    call("cuStreamEndCapture", stream, byref(c_void_p()))
    call("cuGraphLaunch", ready, stream)
    call("cuStreamSynchronize", stream)
    assert list(got) == [6] * 32, list(got)
    for name, thing in (("cuGraphExecDestroy", ready), ("cuGraphDestroy", graph), ("cuStreamDestroy_v2", stream)):
        call(name, thing)


def test_errors():
    graph = out(c_void_p, "cuGraphCreate", 0)
    nothing = (None, c_size_t(0))
    for bad in (wanted(0), wanted(64, 7), Wanted(kind=0, place=1, bytes=64), Wanted(kind=1, place=0, bytes=64), Wanted(kind=1, place=1, handles=1, bytes=64),
                Wanted(kind=1, place=1, bytes=64, access_count=1)):
        call("cuGraphAddMemAllocNode", byref(c_void_p()), graph, *nothing, byref(bad), want=INVALID_VALUE)
    call("cuGraphAddMemAllocNode", byref(c_void_p()), graph, *nothing, None, want=INVALID_VALUE)
    plain = out(c_uint64, "cuMemAlloc_v2", c_size_t(64))
    call("cuGraphAddMemFreeNode", byref(c_void_p()), graph, *nothing, plain, want=INVALID_VALUE)
    params = wanted(64)
    made = out(c_void_p, "cuGraphAddMemAllocNode", graph, *nothing, byref(params))
    gone = out(c_void_p, "cuGraphAddMemFreeNode", graph, *nothing, c_uint64(params.address))
    call("cuGraphAddDependencies", graph, nodes(gone)[0], *nodes(made))  # the wrong way round
    call("cuGraphInstantiateWithFlags", byref(c_void_p()), graph, c_uint64(0), want=INVALID_VALUE)
    call("cuGraphRemoveDependencies", graph, nodes(gone)[0], *nodes(made), want=NOT_SUPPORTED)
    for number in (-1, 4):
        call("cuDeviceGetGraphMemAttribute", 0, number, byref(c_uint64()), want=INVALID_VALUE)
    call("cuDeviceSetGraphMemAttribute", 0, 0, byref(c_uint64(0)), want=INVALID_VALUE)
    call("cuDeviceSetGraphMemAttribute", 0, 1, byref(c_uint64(1)), want=INVALID_VALUE)
    call("cuDeviceGraphMemTrim", 7, want=101)
    call("cuGraphDestroy", graph)
    call("cuMemFree_v2", plain)


if len(sys.argv) > 2:
    used = load()
    _, memory, _, _ = graph_of(used, True)
    call("cuLaunchKernel", used, 1, 1, 1, 32, 1, 1, 0, None, values(memory, c_uint32(1)), None)
    call("cuCtxSynchronize", want=ILLEGAL_ADDRESS)
    sys.exit(0)
kernel_of_all = load()
test_within(kernel_of_all)
test_beyond(kernel_of_all)
test_capture(kernel_of_all)
test_errors()
ran = subprocess.run([sys.executable, *sys.argv, "use"], capture_output=True, text=True)
assert ran.returncode == 0 and "access outside every buffer" in ran.stderr, ran.stderr
print("cuda_graph_memory: ok")
