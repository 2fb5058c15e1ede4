#!/usr/bin/env python3
"""usage: cuda_graph_nodes.py LIBCUDA.so.1

What programs get to know of nodes of graphs, nodes of any kind by one call, nodes that are switched off, updates, clones, objects that graphs
use, dependencies with data, and graphs as files."""
import ctypes
import pathlib
import tempfile
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import Copy3D, Fill, KernelParams, PTX_ADD, call, cuda, out, start

INVALID_VALUE, OPERATING_SYSTEM, ILLEGAL_STATE, NOT_SUPPORTED, UPDATE_FAILURE = 1, 304, 401, 801, 910
KERNEL, COPY, FILL, HOST, GRAPH, EMPTY, WAIT, RECORD, SIGNAL, CONDITIONAL = 0, 1, 2, 3, 4, 5, 6, 7, 8, 13
HOST_FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
kept, called = [], []


@HOST_FUNCTION
def note(value):
    called.append(value)


class Host(ctypes.Structure):
    """CUDA_HOST_NODE_PARAMS"""
    _fields_ = [("function", c_void_p), ("user", c_void_p)]


class KernelParams2(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2"""
    _fields_ = [("first", KernelParams), ("kernel", c_void_p), ("context", c_void_p)]


class CopyNode(ctypes.Structure):
    """CUDA_MEMCPY_NODE_PARAMS"""
    _fields_ = [("flags", c_int), ("reserved", c_int), ("context", c_void_p), ("copy", Copy3D)]


class Operation(ctypes.Structure):
    """CUstreamBatchMemOpParams"""
    _fields_ = [("kind", c_int), ("address", c_uint64), ("value", c_uint64), ("flags", c_uint), ("alias", c_uint64), ("pad", c_uint64)]


class Operations(ctypes.Structure):
    """CUDA_BATCH_MEM_OP_NODE_PARAMS"""
    _fields_ = [("context", c_void_p), ("count", c_uint), ("list", ctypes.POINTER(Operation)), ("flags", c_uint)]


class AnyOf(ctypes.Union):
    _fields_ = [("reserved", c_uint64 * 29), ("kernel", KernelParams2), ("copy", CopyNode), ("fill", Fill), ("host", Host), ("handle", c_void_p), ("operations", Operations)]


class NodeParams(ctypes.Structure):
    """CUgraphNodeParams"""
    _fields_ = [("kind", c_int), ("reserved", c_int * 3), ("of", AnyOf), ("reserved2", c_uint64)]


class Instantiate(ctypes.Structure):
    """CUDA_GRAPH_INSTANTIATE_PARAMS"""
    _fields_ = [("flags", c_uint64), ("stream", c_void_p), ("node", c_void_p), ("result", c_int)]


class Edge(ctypes.Structure):
    """CUgraphEdgeData"""
    _fields_ = [("start", ctypes.c_uint8), ("end", ctypes.c_uint8), ("kind", ctypes.c_uint8), ("reserved", ctypes.c_uint8 * 5)]


assert ctypes.sizeof(NodeParams) == 256


def listed(*items):
    return (c_void_p * len(items))(*items), c_size_t(len(items))


NOTHING = (None, c_size_t(0))


def launch_of(function, address, value):
    items = c_uint64(address), c_uint32(value)
    kept.extend((items, (c_void_p * 2)(*[ctypes.addressof(item) for item in items])))
    return KernelParams(function, (c_uint * 3)(1, 1, 1), (c_uint * 3)(32, 1, 1), 0, ctypes.cast(kept[-1], c_void_p), None)


def copy_of(target, source, size):
    return Copy3D(srcType=2, srcDevice=source, dstType=1, dstHost=ctypes.addressof(target), Width=size, Height=1, Depth=1)


def node_of(graph, kind, behind=NOTHING, **of):
    params = NodeParams(kind=kind)
    for name, value in of.items():
        setattr(params.of, name, value)
    return out(c_void_p, "cuGraphAddNode", graph, *behind, byref(params))


class Graph:
    """Fills memory with 5, adds `value`, copies it to the host, calls the host."""

    def __init__(self, function, memory, value=3):
        self.got, self.graph = (c_uint32 * 32)(), out(c_void_p, "cuGraphCreate", 0)
        self.fill = node_of(self.graph, FILL, fill=Fill(memory.value, 0, 5, 4, 32, 1))
        self.add = node_of(self.graph, KERNEL, listed(self.fill), kernel=KernelParams2(launch_of(None, memory.value, value), function, None))
        self.copy = node_of(self.graph, COPY, listed(self.add), copy=CopyNode(copy=copy_of(self.got, memory.value, 128)))
        self.host = node_of(self.graph, HOST, listed(self.copy), host=Host(ctypes.cast(note, c_void_p), 7))

    def ready(self):
        return out(c_void_p, "cuGraphInstantiateWithFlags", self.graph, c_uint64(0))


def run(ready, got):
    got[:] = [0] * len(got)
    call("cuGraphLaunch", ready, None)
    call("cuCtxSynchronize")
    return got[0]


def test_nodes(function, memory):
    one = Graph(function, memory)
    ready = one.ready()
    assert run(ready, one.got) == 8 and called.pop() == 7 and not called
    for name, node, kind in (("Memset", one.fill, Fill), ("Kernel", one.add, KernelParams), ("Memcpy", one.copy, Copy3D), ("Host", one.host, Host)):
        wrong = one.copy if node is one.fill else one.fill
        call(f"cuGraph{name}NodeGetParams", wrong, byref(kind()), want=INVALID_VALUE)
        call(f"cuGraph{name}NodeGetParams", node, None, want=INVALID_VALUE)
        params = kind()
        call(f"cuGraph{name}NodeGetParams", node, byref(params))
        kept.append(params)
        call(f"cuGraph{name}NodeSetParams", node, byref(params))  # what is known can be set again
    fill, add, copy, host = (item for item in kept[-4:])
    assert (fill.to, fill.value, fill.element, fill.width, fill.height) == (memory.value, 5, 4, 32, 1)
    assert (add.function, list(add.grid), list(add.block)) == (function.value, [1, 1, 1], [32, 1, 1])
    assert (copy.srcType, copy.srcDevice, copy.dstType, copy.dstHost, copy.Width) == (2, memory.value, 1, ctypes.addressof(one.got), 128)
    assert (host.function, host.user) == (ctypes.cast(note, c_void_p).value, 7)
    second = KernelParams2(KernelParams(), 5, 5)
    call("cuGraphKernelNodeGetParams_v2", one.add, byref(second))
    values = (c_void_p * 2).from_address(second.first.params)
    assert second.kernel is None and (c_uint64.from_address(values[0]).value, c_uint32.from_address(values[1]).value) == (memory.value, 3)
    again = one.ready()
    assert run(again, one.got) == 8
    params = NodeParams(kind=KERNEL)
    params.of.kernel.first = launch_of(function, memory.value, 20)
    call("cuGraphExecNodeSetParams", again, one.add, byref(params))
    assert run(again, one.got) == 25
    call("cuGraphNodeSetParams", one.add, byref(params))
    call("cuGraphNodeSetParams", one.fill, byref(params), want=INVALID_VALUE)
    for node, expected in ((one.fill, 45), (one.add, 5)):  # without the fill it is 20 more than before
        enabled = c_uint(7)
        call("cuGraphNodeSetEnabled", again, node, 0)
        call("cuGraphNodeGetEnabled", again, node, byref(enabled))
        assert enabled.value == 0 and run(again, one.got) == expected
        call("cuGraphNodeSetEnabled", again, node, 1)
    call("cuGraphNodeGetEnabled", again, one.add, byref(enabled))
    assert enabled.value == 1 and run(again, one.got) == 25
    call("cuGraphNodeSetEnabled", again, one.host, 0, want=INVALID_VALUE)
    for kind, want in ((SIGNAL, NOT_SUPPORTED), (CONDITIONAL, NOT_SUPPORTED), (14, INVALID_VALUE), (-1, INVALID_VALUE)):
        call("cuGraphAddNode", byref(c_void_p()), one.graph, *NOTHING, byref(NodeParams(kind=kind)), want=want)
    call("cuGraphAddNode", byref(c_void_p()), one.graph, *NOTHING, None, want=INVALID_VALUE)
    for thing in (ready, again):
        call("cuGraphExecDestroy", thing)
    call("cuGraphDestroy", one.graph)


def test_arrays():
    """A copy from an array is known by its place there."""
    layout = (c_uint64 * 3)(8, 4, 0x20 | 1 << 32)  # 8 by 4 floats
    array, got, graph = out(c_void_p, "cuArrayCreate_v2", layout), (c_uint32 * 4)(), out(c_void_p, "cuGraphCreate", 0)
    given = Copy3D(srcX=8, srcY=2, srcType=3, srcArray=array, dstType=1, dstHost=ctypes.addressof(got), Width=16, Height=1, Depth=1)
    known = Copy3D()
    call("cuGraphMemcpyNodeGetParams", out(c_void_p, "cuGraphAddMemcpyNode", graph, *NOTHING, byref(given), None), byref(known))
    assert (known.srcType, known.srcArray, known.srcX, known.srcY, known.srcZ) == (3, array.value, 8, 2, 0)
    call("cuGraphDestroy", graph)
    call("cuArrayDestroy", array)


def test_edges(function, memory):
    one = Graph(function, memory)
    edges, count, ends = (Edge * 4)(*[Edge(9, 9, 9)] * 4), c_size_t(4), [(c_void_p * 4)(), (c_void_p * 4)()]
    call("cuGraphGetEdges_v2", one.graph, None, None, None, byref(count))
    assert count.value == 3
    call("cuGraphGetEdges_v2", one.graph, *ends, edges, byref(count))
    assert (ends[0][0], ends[1][0], edges[0].start, edges[2].kind, edges[3].start) == (one.fill.value, one.add.value, 0, 0, 9)
    for name, node, found in (("cuGraphNodeGetDependencies_v2", one.add, one.fill), ("cuGraphNodeGetDependentNodes_v2", one.add, one.copy)):
        count, nodes = c_size_t(1), (c_void_p * 1)()
        call(name, node, nodes, edges, byref(count))
        assert (count.value, nodes[0]) == (1, found.value)
    pair = (listed(one.fill)[0], listed(one.host)[0])
    call("cuGraphAddDependencies_v2", one.graph, *pair, byref(Edge(1, 0, 1)), c_size_t(1))
    call("cuGraphAddDependencies_v2", one.graph, *pair, None, c_size_t(1), want=INVALID_VALUE)  # it is there
    call("cuGraphRemoveDependencies_v2", one.graph, *pair, None, c_size_t(1))
    for bad in (Edge(3, 0, 0), Edge(0, 1, 0), Edge(0, 0, 2), Edge(0, 0, 0, (ctypes.c_uint8 * 5)(1))):
        call("cuGraphAddDependencies_v2", one.graph, *pair, byref(bad), c_size_t(1), want=INVALID_VALUE)
        call("cuGraphAddNode_v2", byref(c_void_p()), one.graph, listed(one.fill)[0], byref(bad), c_size_t(1), byref(NodeParams(kind=EMPTY)), want=INVALID_VALUE)
    last = out(c_void_p, "cuGraphAddNode_v2", one.graph, listed(one.host)[0], None, c_size_t(1), byref(NodeParams(kind=EMPTY)))
    kind = c_int()
    call("cuGraphNodeGetType", last, byref(kind))
    assert kind.value == EMPTY
    call("cuGraphDestroy", one.graph)
    found = {}
    for version in (12000, 12020, 12030):
        for name in ("cuGraphGetEdges", "cuGraphAddNode"):
            found[name, version] = c_void_p()
            call("cuGetProcAddress_v2", name.encode(), byref(found[name, version]), version, c_uint64(0), None)
            assert found[name, version].value == ctypes.cast(getattr(cuda, name + "_v2" * (version == 12030)), c_void_p).value


def test_events_and_clones(function, memory):
    one, outer, events = Graph(function, memory), out(c_void_p, "cuGraphCreate", 0), [out(c_void_p, "cuEventCreate", 0) for _ in range(2)]
    child = node_of(outer, GRAPH, handle=one.graph)
    record = node_of(outer, RECORD, listed(child), handle=events[0])
    wait = node_of(outer, WAIT, listed(record), handle=events[0])
    ready, event = out(c_void_p, "cuGraphInstantiateWithFlags", outer, c_uint64(0)), c_void_p()
    for name, node, other in (("Record", record, wait), ("Wait", wait, record)):
        call(f"cuGraphEvent{name}NodeSetEvent", node, events[1])
        call(f"cuGraphEvent{name}NodeGetEvent", node, byref(event))
        assert event.value == events[1].value
        call(f"cuGraphExecEvent{name}NodeSetEvent", ready, node, events[1])
        for thing in ((f"cuGraphEvent{name}NodeGetEvent", other, byref(event)), (f"cuGraphEvent{name}NodeSetEvent", other, events[0]),
                      (f"cuGraphEvent{name}NodeSetEvent", node, None), (f"cuGraphExecEvent{name}NodeSetEvent", ready, other, events[0])):
            call(*thing, want=INVALID_VALUE)
    assert run(ready, one.got) == 8
    call("cuEventQuery", events[1])
    call("cuEventElapsedTime", byref(ctypes.c_float()), events[1], events[0], want=400)  # the first event was not recorded
    inner = c_void_p()
    call("cuGraphChildGraphNodeGetGraph", child, byref(inner))
    call("cuGraphChildGraphNodeGetGraph", record, byref(inner), want=INVALID_VALUE)
    node = out(c_void_p, "cuGraphNodeFindInClone", one.add, inner)
    kind = c_int(9)
    call("cuGraphNodeGetType", node, byref(kind))
    assert kind.value == KERNEL and node.value != one.add.value
    for original, clone in ((record, inner), (one.add, one.graph), (None, inner)):
        call("cuGraphNodeFindInClone", byref(node), original, clone, want=INVALID_VALUE)
    other, shorter = Graph(function, memory, 30), out(c_void_p, "cuGraphCreate", 0)
    node_of(shorter, EMPTY)
    call("cuGraphExecChildGraphNodeSetParams", ready, child, other.graph)
    assert run(ready, other.got) == 35
    call("cuGraphExecChildGraphNodeSetParams", ready, child, shorter, want=INVALID_VALUE)
    call("cuGraphExecChildGraphNodeSetParams", ready, record, other.graph, want=INVALID_VALUE)
    info, error_node, result = (c_uint64 * 3)(), c_void_p(), c_int()
    single = other.ready()
    call("cuGraphExecUpdate_v2", single, shorter, info, want=UPDATE_FAILURE)
    assert info[0] & 0xffffffff == 2  # another number of nodes
    call("cuGraphDestroyNode", one.host)
    empty = node_of(one.graph, EMPTY, listed(one.copy))
    call("cuGraphExecUpdate", single, one.graph, byref(error_node), byref(result), want=UPDATE_FAILURE)
    assert (result.value, error_node.value) == (3, empty.value)  # of another kind
    params = Instantiate(0)
    made = out(c_void_p, "cuGraphInstantiateWithParams", one.graph, byref(params))
    assert params.result == 0 and run(made, one.got) == 8
    call("cuGraphAddDependencies", one.graph, *[listed(end)[0] for end in (empty, one.fill)], c_size_t(1))  # a circle
    call("cuGraphInstantiateWithParams", byref(c_void_p()), one.graph, byref(params), want=INVALID_VALUE)
    assert params.result == 2
    call("cuGraphInstantiateWithParams", byref(c_void_p()), one.graph, None, want=INVALID_VALUE)
    for thing in (ready, single, made):
        call("cuGraphExecDestroy", thing)
    for thing in (one.graph, outer, other.graph, shorter):
        call("cuGraphDestroy", thing)


def test_objects():
    """An object lives as long as a graph, a clone or what one was made into."""
    graph, gone = out(c_void_p, "cuGraphCreate", 0), []
    destroy = HOST_FUNCTION(gone.append)
    make = lambda user, count: out(c_void_p, "cuUserObjectCreate", user, destroy, count, 1)
    one = make(1, 2)
    call("cuUserObjectRelease", one, 2)
    assert gone == [1]
    two = make(2, 1)
    call("cuUserObjectRetain", two, 1)
    call("cuGraphRetainUserObject", graph, two, 1, 0)
    call("cuGraphRetainUserObject", graph, two, 1, 1)  # moved
    call("cuUserObjectRelease", two, 1)
    call("cuGraphReleaseUserObject", graph, two, 3, want=INVALID_VALUE)
    call("cuGraphReleaseUserObject", graph, two, 1)
    clone, ready = out(c_void_p, "cuGraphClone", graph), out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuGraphReleaseUserObject", graph, two, 1)
    call("cuGraphReleaseUserObject", graph, two, 1, want=INVALID_VALUE)
    call("cuGraphDestroy", clone)
    assert gone == [1]
    call("cuGraphExecDestroy", ready)
    assert gone == [1, 2]
    for arguments in ((byref(c_void_p()), 1, None, 1, 1), (byref(c_void_p()), 1, destroy, 0, 1), (byref(c_void_p()), 1, destroy, 1, 0), (None, 1, destroy, 1, 1)):
        call("cuUserObjectCreate", *arguments, want=INVALID_VALUE)
    for name in ("cuUserObjectRetain", "cuUserObjectRelease"):
        call(name, None, 1, want=INVALID_VALUE)
    three = make(3, 1)
    for count, flags in ((0, 0), (1, 2)):
        call("cuGraphRetainUserObject", graph, three, count, flags, want=INVALID_VALUE)
    call("cuGraphRetainUserObject", graph, three, 1, 1)
    call("cuGraphDestroy", graph)
    assert gone == [1, 2, 3]


def test_attributes_and_files(function, memory):
    one, two = Graph(function, memory), Graph(function, memory)
    value = (c_uint64 * 8)(1)
    call("cuGraphKernelNodeSetAttribute", one.add, 2, value)
    call("cuGraphKernelNodeCopyAttributes", two.add, one.add)
    clone, known = out(c_void_p, "cuGraphClone", two.graph), (c_uint64 * 8)()
    for node in (one.add, two.add, out(c_void_p, "cuGraphNodeFindInClone", two.add, clone)):
        call("cuGraphKernelNodeGetAttribute", node, 2, known)
        assert known[0] == 1
    call("cuGraphKernelNodeSetAttribute", one.add, 4, (ctypes.c_uint * 16)(2, 1, 1), want=NOT_SUPPORTED)
    for node, attribute in ((one.fill, 2), (one.add, 3), (one.add, 99)):
        call("cuGraphKernelNodeGetAttribute", node, attribute, known, want=INVALID_VALUE)
        call("cuGraphKernelNodeSetAttribute", node, attribute, value, want=INVALID_VALUE)
    call("cuGraphKernelNodeCopyAttributes", one.fill, one.add, want=INVALID_VALUE)
    node_of(one.graph, GRAPH, listed(one.host), handle=two.graph)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "graph.dot"
        call("cuGraphDebugDotPrint", one.graph, str(file).encode(), 1)
        text = file.read_text()
        call("cuGraphDebugDotPrint", one.graph, str(file / "none").encode(), 1, want=OPERATING_SYSTEM)
    assert text.count("->") == 7 and text.count("label=") == 11 and "block 32 1 1" in text and "\\nadd" in text and text.count("{") == text.count("}") == 3, text
    call("cuGraphDebugDotPrint", one.graph, None, 1, want=INVALID_VALUE)
    for graph in (one.graph, two.graph, clone):
        call("cuGraphDestroy", graph)


def test_operations(memory):
    """Nodes that wait for values and write some."""
    graph, got = out(c_void_p, "cuGraphCreate", 0), (c_uint32 * 4)()
    list_of = lambda *items: Operations(None, len(items), (Operation * len(items))(*items), 0)
    at = memory.value
    given = list_of(Operation(2, at, 11), Operation(6), Operation(1, at, 11, 1), Operation(5, at + 8, 1 << 33))
    writes = node_of(graph, 12, operations=given)
    again = out(c_void_p, "cuGraphAddBatchMemOpNode", graph, *listed(writes), byref(list_of(Operation(2, at + 4, 12))))
    copy = node_of(graph, COPY, listed(again), copy=CopyNode(copy=copy_of(got, at, 16)))
    kind, known = c_int(), Operations()
    call("cuGraphNodeGetType", writes, byref(kind))
    call("cuGraphBatchMemOpNodeGetParams", writes, byref(known))
    assert kind.value == 12 and [(item.kind, item.address, item.value, item.flags) for item in known.list[:known.count]] == [
        (2, at, 11, 0), (6, 0, 0, 0), (1, at, 11, 1), (5, at + 8, 1 << 33, 0)]
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    assert run(ready, got) == 11 and list(got) == [11, 12, 0, 2]
    call("cuGraphExecBatchMemOpNodeSetParams", ready, again, byref(list_of(Operation(2, at + 4, 13))))
    assert run(ready, got) == 11 and list(got) == [11, 13, 0, 2]
    call("cuGraphBatchMemOpNodeSetParams", writes, byref(list_of(Operation(2, at, 14))))
    params = NodeParams(kind=12)
    params.of.operations = list_of(Operation(2, at, 15))
    call("cuGraphExecNodeSetParams", ready, writes, byref(params))
    assert run(ready, got) == 15
    call("cuGraphNodeSetParams", writes, byref(params))
    call("cuGraphNodeSetParams", copy, byref(params), want=INVALID_VALUE)
    clone = out(c_void_p, "cuGraphInstantiateWithFlags", out(c_void_p, "cuGraphClone", graph), c_uint64(0))
    assert run(clone, got) == 15 and got[1] == 12
    for bad in (list_of(), list_of(Operation(9, at)), list_of(Operation(2, at + 2)), Operations(None, 1, None, 0), Operations(None, 1, given.list, 1), Operations(None, 257, given.list, 0)):
        call("cuGraphAddBatchMemOpNode", byref(c_void_p()), graph, *NOTHING, byref(bad), want=INVALID_VALUE)
        call("cuGraphBatchMemOpNodeSetParams", writes, byref(bad), want=INVALID_VALUE)
        call("cuGraphExecBatchMemOpNodeSetParams", ready, writes, byref(bad), want=INVALID_VALUE)
    call("cuGraphBatchMemOpNodeGetParams", copy, byref(known), want=INVALID_VALUE)
    call("cuGraphExecBatchMemOpNodeSetParams", ready, copy, byref(given), want=INVALID_VALUE)
    call("cuGraphExecChildGraphNodeSetParams", ready, writes, graph, want=INVALID_VALUE)
    for name, thing in (("cuGraphExecDestroy", ready), ("cuGraphExecDestroy", clone), ("cuGraphDestroy", graph)):
        call(name, thing)


def test_list_of_a_stream_given_back():
    stream, within, status = out(c_void_p, "cuStreamCreate", 0), c_void_p(), c_int()
    call("cuStreamBeginCapture_v2", stream, 0)

    def now():
        nodes, count = ctypes.POINTER(c_void_p)(), c_size_t()
        call("cuStreamGetCaptureInfo_v2", stream, byref(status), None, byref(within), byref(nodes), byref(count))
        return nodes, count, [nodes[i] for i in range(count.value)]

    now()
    made = [node_of(within, EMPTY) for _ in range(200)]
    call("cuStreamUpdateCaptureDependencies", stream, *listed(*made), 1)
    for flags in (1, 0, 1):
        nodes, count, before = now()
        call("cuStreamUpdateCaptureDependencies", stream, nodes, count, flags)
        assert now()[2] == before == [node.value for node in made]
    graph = c_void_p()
    call("cuStreamEndCapture", stream, byref(graph))


def test_captures(memory):
    stream, graph = out(c_void_p, "cuStreamCreate", 0), c_void_p()
    call("cuStreamUpdateCaptureDependencies", stream, None, c_size_t(0), 1, want=ILLEGAL_STATE)
    call("cuStreamBeginCapture_v2", stream, 0)
    status, within = c_int(), c_void_p()
    call("cuStreamGetCaptureInfo_v2", stream, byref(status), None, byref(within), None, None)
    call("cuMemsetD32Async", memory, 1, c_size_t(4), stream)
    own = node_of(within, EMPTY)
    call("cuStreamUpdateCaptureDependencies", stream, *listed(own), 1)  # in place of the fill
    call("cuMemsetD32Async", memory, 2, c_size_t(4), stream)
    first = c_void_p()
    call("cuGraphGetRootNodes", within, byref(first), byref(c_size_t(1)))
    call("cuStreamUpdateCaptureDependencies_v2", stream, listed(first)[0], None, c_size_t(1), 0)
    call("cuStreamUpdateCaptureDependencies", stream, *listed(first), 2, want=INVALID_VALUE)
    foreign = out(c_void_p, "cuGraphCreate", 0)
    call("cuStreamUpdateCaptureDependencies", stream, *listed(node_of(foreign, EMPTY)), 0, want=INVALID_VALUE)
    call("cuMemsetD32Async", memory, 3, c_size_t(4), stream)
    call("cuStreamEndCapture", stream, byref(graph))
    count = c_size_t()
    call("cuGraphGetEdges", graph, None, None, byref(count))
    assert count.value == 3  # from the empty node to the second fill, from that and the first fill to the third
    for name, thing in (("cuGraphDestroy", graph), ("cuGraphDestroy", foreign), ("cuStreamDestroy_v2", stream)):
        call(name, thing)


start()
kernel = out(c_void_p, "cuModuleGetFunction", out(c_void_p, "cuModuleLoadData", PTX_ADD), b"add")
numbers = out(c_uint64, "cuMemAlloc_v2", c_size_t(128))
test_nodes(kernel, numbers)
test_arrays()
test_edges(kernel, numbers)
test_events_and_clones(kernel, numbers)
test_objects()
test_attributes_and_files(kernel, numbers)
test_operations(numbers)
test_list_of_a_stream_given_back()
test_captures(numbers)
print("cuda_graph_nodes: ok")
