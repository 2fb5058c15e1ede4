#!/usr/bin/env python3
"""usage: cudart_graphs.py LIBCUDART.so.VERSION

Graphs by hand and of captures, and other calls whose parameters differ between CUDA 12 and 13: advice, prefetches, lists of copies."""
import ctypes
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_ulonglong, c_void_p

from cudart_calls import (ADD, Dim3, HEAD, INVALID_DEVICE, INVALID_FUNCTION, INVALID_VALUE, Program, TO_DEVICE, TO_HOST, call, kernel, last,
                          numbers, out, put, read, values)

IS_12 = sys.argv[1].endswith(".12")
KERNEL, COPY, FILL, HOST, GRAPH, EMPTY, ALLOCATION, FREE = 0, 1, 2, 3, 4, 5, 10, 11  # cudaGraphNodeType
HOST_FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
PTX = HEAD + b".visible .const .align 4 .u32 factor = 3;\n" + ADD + kernel(
    "scale", "", "ld.const.u32 %r0, [factor]; ld.global.u32 %r1, [%a0]; mul.lo.u32 %r1, %r1, %r0; st.global.u32 [%a0], %r1;")


class KernelParams(ctypes.Structure):
    """cudaKernelNodeParams"""
    _fields_ = [("symbol", c_void_p), ("grid", Dim3), ("block", Dim3), ("shared", c_uint), ("params", c_void_p), ("extra", c_void_p)]


class Fill(ctypes.Structure):
    """cudaMemsetParams"""
    _fields_ = [("to", c_void_p), ("pitch", c_size_t), ("value", c_uint), ("element", c_uint), ("width", c_size_t), ("height", c_size_t)]


class Host(ctypes.Structure):
    """cudaHostNodeParams"""
    _fields_ = [("function", c_void_p), ("user", c_void_p)]


class AnyOf(ctypes.Union):
    _fields_ = [("room", c_uint64 * 29), ("kernel", KernelParams), ("fill", Fill)]


class NodeParams(ctypes.Structure):
    """cudaGraphNodeParams"""
    _fields_ = [("type", c_int), ("reserved", c_int * 3), ("of", AnyOf), ("behind", c_uint64)]


class Allocation(ctypes.Structure):
    """cudaMemAllocNodeParams"""
    _fields_ = [("pool", c_int * 4), ("room", c_uint64 * 9), ("list", c_void_p), ("count", c_size_t), ("bytes", c_size_t), ("address", c_void_p)]


class Location(ctypes.Structure):
    _fields_ = [("type", c_int), ("id", c_int)]


class CopyAttributes(ctypes.Structure):
    """cudaMemcpyAttributes"""
    _fields_ = [("order", c_int), ("origin", Location), ("to", Location), ("flags", c_uint)]


def nodes(*list_of):
    return (c_void_p * len(list_of))(*list_of)


def add_node(kind, graph, before, *arguments):
    return out(c_void_p, f"cudaGraphAdd{kind}", graph, nodes(*before) if before else None, len(before), *arguments)


def depend(name, graph, first, second, want=0):
    """CUDA 12 has the call without data of edges, and with it under a name of its own."""
    call(name, graph, nodes(first), nodes(second), *(() if IS_12 else (None, )), 1, want=want)


def count_of(name, thing, lists):
    count = c_size_t()
    call(name, thing, *[None] * lists, byref(count))
    return count.value


def params_of(used, name, *arguments):
    made = KernelParams(used[name], Dim3(1), Dim3(32), 0, None, None)
    made.kept = values(*arguments)
    made.params = ctypes.addressof(made.kept)
    return made


def run(ready, stream=None):
    call("cudaGraphLaunch", ready, stream)
    call("cudaStreamSynchronize", stream)


def test_by_hand(used):
    graph, memory, called, host = out(c_void_p, "cudaGraphCreate", 0), out(c_void_p, "cudaMalloc", 128), [], numbers(*[0] * 32)
    note, ten, hundred = HOST_FUNCTION(called.append), numbers(10), numbers(100)
    add = params_of(used, "add", memory, c_uint32(2))
    fill = add_node("MemsetNode", graph, (), byref(Fill(memory.value, 0, 3, 4, 32, 1)))
    constant = add_node("MemcpyNodeToSymbol", graph, (), used["factor"], ten, 4, 0, TO_DEVICE)
    adding = add_node("KernelNode", graph, (fill, ), byref(add))
    scaling = add_node("KernelNode", graph, (adding, ), byref(params_of(used, "scale", memory)))
    depend("cudaGraphAddDependencies", graph, constant, scaling)
    copy = add_node("MemcpyNode1D", graph, (scaling, ), host, memory, 128, TO_HOST)
    for to, origin, kind in ((memory, memory, TO_HOST), (host, host, TO_DEVICE), (None, memory, TO_HOST)):
        call("cudaGraphAddMemcpyNode1D", byref(c_void_p()), graph, None, 0, to, origin, 128, kind, want=INVALID_VALUE)
    last(INVALID_VALUE)
    noting = add_node("HostNode", graph, (copy, ), byref(Host(ctypes.cast(note, c_void_p), 5)))
    depend("cudaGraphAddDependencies", graph, constant, scaling, want=INVALID_VALUE)
    last(INVALID_VALUE)
    for node, kind in ((fill, FILL), (constant, COPY), (adding, KERNEL), (copy, COPY), (noting, HOST)):
        found = c_int(99)
        call("cudaGraphNodeGetType", node, byref(found))
        assert found.value == kind
    edges = 2 if IS_12 else 3
    assert [count_of("cudaGraphGetNodes", graph, 1), count_of("cudaGraphGetRootNodes", graph, 1), count_of("cudaGraphGetEdges", graph, edges)] == [6, 2, 5]
    assert [count_of(f"cudaGraphNodeGet{name}", scaling, edges - 1) for name in ("Dependencies", "DependentNodes")] == [2, 1]
    if IS_12:
        assert count_of("cudaGraphGetEdges_v2", graph, 3) == 5
    ready = out(c_void_p, "cudaGraphInstantiate", graph, 0)
    run(ready)
    assert list(host) == [50] * 32 and called == [5]
    add.kept = values(memory, c_uint32(4))
    add.params = ctypes.addressof(add.kept)
    call("cudaGraphExecKernelNodeSetParams", ready, adding, byref(add))
    call("cudaGraphExecMemcpyNodeSetParamsToSymbol", ready, constant, used["factor"], hundred, 4, 0, TO_DEVICE)
    run(ready)
    assert list(host) == [700] * 32
    call("cudaGraphNodeSetEnabled", ready, adding, 0)
    run(ready)
    assert list(host) == [300] * 32
    found = KernelParams()
    call("cudaGraphKernelNodeGetParams", adding, byref(found))
    assert (found.grid.x, found.block.x, ctypes.cast(ctypes.cast(found.params, ctypes.POINTER(c_void_p))[1], ctypes.POINTER(c_uint32))[0]) == (1, 32, 2)
    found.block = Dim3(16)  # of a kernel that a handle stands for now
    call("cudaGraphKernelNodeSetParams", adding, byref(found))
    clone = out(c_void_p, "cudaGraphClone", graph)
    depend("cudaGraphRemoveDependencies", graph, fill, adding)
    depend("cudaGraphAddDependencies", graph, noting, fill)
    depend("cudaGraphAddDependencies", graph, noting, constant)
    depend("cudaGraphAddDependencies", graph, noting, adding)
    call("cudaGraphInstantiate", byref(c_void_p()), graph, 0, want=INVALID_VALUE)  # a circle
    last(INVALID_VALUE)
    call("cudaGraphDestroy", graph)
    check_child(used, clone, memory, host)
    call("cudaGraphExecDestroy", ready)
    call("cudaFree", memory)
    call("cudaMemcpyToSymbol", used["factor"], numbers(3), 4, 0, TO_DEVICE)


def check_child(used, clone, memory, host):
    """A graph is a node of another, before one that is made by the call for all kinds."""
    outer, node = out(c_void_p, "cudaGraphCreate", 0), c_void_p()
    child = add_node("ChildGraphNode", outer, (), clone)
    any_node = NodeParams(KERNEL)
    any_node.of.kernel = params = params_of(used, "add", memory, c_uint32(1))
    call("cudaGraphAddNode", byref(node), outer, nodes(child), *(() if IS_12 else (None, )), 1, byref(any_node))
    any_node.of.kernel.symbol = used["factor"].value
    call("cudaGraphAddNode", byref(c_void_p()), outer, None, *(() if IS_12 else (None, )), 0, byref(any_node), want=INVALID_FUNCTION)
    call("cudaGraphAddKernelNode", byref(c_void_p()), outer, None, 0, byref(any_node.of.kernel), want=INVALID_FUNCTION)
    last(INVALID_FUNCTION)
    ready = out(c_void_p, "cudaGraphInstantiateWithFlags", outer, 0)
    run(ready)
    assert list(host) == [50] * 16 + [30] * 16 and read(memory, 32) == [51] * 16 + [31] * 16 and params.kept
    for graph in (clone, outer):
        call("cudaGraphDestroy", graph)
    call("cudaGraphExecDestroy", ready)


def test_memory(used):
    """Memory that a graph allocates, and frees."""
    graph, host = out(c_void_p, "cudaGraphCreate", 0), numbers(*[0] * 32)
    made, node = Allocation((c_int * 4)(1, 0, 1, 0), bytes=128), c_void_p()
    call("cudaGraphAddMemAllocNode", byref(node), graph, None, 0, byref(made))
    place = c_void_p(made.address)
    fill = add_node("MemsetNode", graph, (node, ), byref(Fill(place.value, 0, 6, 4, 32, 1)))
    scaling = add_node("KernelNode", graph, (fill, ), byref(params_of(used, "scale", place)))
    copy = add_node("MemcpyNode1D", graph, (scaling, ), host, place, 128, TO_HOST)
    freeing = add_node("MemFreeNode", graph, (copy, ), place)
    kind = c_int()
    for one, want in ((node, ALLOCATION), (freeing, FREE)):
        call("cudaGraphNodeGetType", one, byref(kind))
        assert kind.value == want
    ready = out(c_void_p, "cudaGraphInstantiate", graph, 0)
    for _ in range(2):
        run(ready)
    assert list(host) == [18] * 32
    call("cudaGraphExecDestroy", ready)
    call("cudaGraphDestroy", graph)


def test_captures(used):
    """Work of two streams, which an event joins, is not done but becomes a graph, which may then be another's update."""
    memory, streams = out(c_void_p, "cudaMalloc", 128), [out(c_void_p, "cudaStreamCreateWithFlags", 1) for _ in range(2)]
    fork, join = out(c_void_p, "cudaEventCreateWithFlags", 2), out(c_void_p, "cudaEventCreateWithFlags", 2)
    put(memory, *[1] * 32)
    graphs = []
    for value in (5, 6):
        call("cudaStreamBeginCapture", streams[0], 0)
        used.launch("add", memory, c_uint32(value), stream=streams[0])
        call("cudaEventRecord", fork, streams[0])
        call("cudaStreamWaitEvent", streams[1], fork, 0)
        used.launch("scale", memory, stream=streams[1])
        call("cudaEventRecord", join, streams[1])
        call("cudaStreamWaitEvent", streams[0], join, 0)
        check_captured(streams[0])
        graphs.append(c_void_p())
        call("cudaStreamEndCapture", streams[0], byref(graphs[-1]))
    assert read(memory, 1) == [1] and count_of("cudaGraphGetNodes", graphs[0], 1) == 2
    ready = out(c_void_p, "cudaGraphInstantiate", graphs[0], 0)
    run(ready, streams[0])
    assert read(memory, 32) == [18] * 32
    result = (c_uint64 * 3)()  # cudaGraphExecUpdateResultInfo
    call("cudaGraphExecUpdate", ready, graphs[1], result)
    assert c_int.from_buffer(result).value == 0
    run(ready, streams[0])
    assert read(memory, 32) == [72] * 32
    add_node("EmptyNode", graphs[1], ())
    call("cudaGraphExecUpdate", ready, graphs[1], result, want=910)
    last(910)
    assert c_int.from_buffer(result).value == 2  # cudaGraphExecUpdateErrorTopologyChanged
    call("cudaStreamBeginCapture", streams[0], 0)
    call("cudaStreamSynchronize", streams[0], want=900)
    last(900)
    call("cudaStreamEndCapture", streams[0], byref(c_void_p()), want=901)
    last(901)
    call("cudaStreamEndCapture", streams[0], byref(c_void_p()), want=401)
    call("cudaGetLastError", want=401)
    call("cudaGraphExecDestroy", ready)
    for graph in graphs:
        call("cudaGraphDestroy", graph)
    for event in (fork, join):
        call("cudaEventDestroy", event)
    for stream in streams:
        call("cudaStreamDestroy", stream)
    call("cudaFree", memory)


def check_captured(stream):
    """What each version's call tells: the node that the next depends on, and a status of 1."""
    status, number, graph, list_of, edges, count = c_int(), c_ulonglong(), c_void_p(), c_void_p(), c_void_p(), c_size_t()
    parts = [byref(graph), byref(list_of), byref(edges), byref(count)]
    forms = (("cudaStreamGetCaptureInfo", []), ("cudaStreamGetCaptureInfo_v2", parts[:2] + parts[3:]), ("cudaStreamGetCaptureInfo_v3", parts)
             ) if IS_12 else (("cudaStreamGetCaptureInfo", parts), )
    for name, more in forms:
        status.value = count.value = 0
        call(name, stream, byref(status), byref(number), *more)
        assert (status.value, count.value) == (1, 2 if more else 0), (name, count.value)
    assert count_of("cudaGraphGetNodes", graph, 1) == 2
    call("cudaStreamIsCapturing", stream, byref(status))
    assert status.value == 1


def test_advice():
    memory, host = out(c_void_p, "cudaMallocManaged", 4096, 1), c_int(-7)
    device, cpu = Location(1, 0), Location(2, 0)
    if IS_12:
        call("cudaMemAdvise", memory, 4096, 3, 0)
        call("cudaMemPrefetchAsync", memory, 4096, -1, None)
        call("cudaMemPrefetchAsync", memory, 4096, 9, None, want=INVALID_DEVICE)
        call("cudaMemAdvise_v2", memory, 4096, 3, device)
        call("cudaMemPrefetchAsync_v2", memory, 4096, cpu, 0, None)
    else:
        call("cudaMemAdvise", memory, 4096, 3, device)
        call("cudaMemPrefetchAsync", memory, 4096, cpu, 0, None)
        call("cudaMemPrefetchAsync", memory, 4096, Location(1, 9), 0, None, want=INVALID_DEVICE)
    last(INVALID_DEVICE)
    call("cudaDeviceSynchronize")
    call("cudaMemRangeGetAttribute", byref(host), 4, 2, memory, 4096)
    assert host.value == 0  # where it is preferred
    call("cudaMemRangeGetAttribute", byref(host), 4, 4, memory, 4096)
    assert host.value == -1  # the last prefetch was to the host
    call("cudaFree", memory)


def test_lists_of_copies():
    memory, stream, host = out(c_void_p, "cudaMalloc", 64), out(c_void_p, "cudaStreamCreate"), numbers(1, 2, 3, 4)
    to, origins = nodes(memory.value + 16, memory.value), nodes(ctypes.addressof(host), ctypes.addressof(host) + 8)
    failed, sizes = c_size_t(), (c_size_t * 2)(8, 8)
    call("cudaMemcpyBatchAsync", to, origins, sizes, 2, byref(CopyAttributes(1)), byref(c_size_t(0)), 1, *((byref(failed), ) if IS_12 else ()), stream)
    call("cudaStreamSynchronize", stream)
    assert read(memory, 2) == [3, 4] and read(c_void_p(memory.value + 16), 2) == [1, 2]
    call("cudaStreamDestroy", stream)
    call("cudaFree", memory)


registered = Program(PTX, kernels=("add", "scale"), variables=(("factor", 4), ))
for test in (test_by_hand, test_memory, test_captures):
    test(registered)
test_advice()
test_lists_of_copies()
registered.end()
print("cudart_graphs: ok")
