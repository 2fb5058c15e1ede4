#!/usr/bin/env python3
"""usage: cuda_work.py LIBCUDA.so.1

What streams do, and graphs of it: order, captures, copies in several dimensions, occupancy, fat binaries."""
import ctypes
import struct
import threading
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import Copy2D, Copy3D, Fill, call, cuda, out, start
from cuda_machine import PTX, Machine, read


def test_order():
    """A call returns before its work is done; streams and events say what is."""
    machine, gate = Machine(), threading.Event()
    stream, event = out(c_void_p, "cuStreamCreate", 1), out(c_void_p, "cuEventCreate", 0)
    call("cuMemsetD32_v2", machine.memory, 1, 32)
    wait = ctypes.CFUNCTYPE(None, c_void_p)(lambda user: gate.wait(20))
    call("cuLaunchHostFunc", stream, wait, None)
    machine.launch(machine.add, stream, machine.memory, c_uint32(4))
    machine.launch(machine.double, stream, machine.memory)
    call("cuEventRecord", event, stream)
    for name, thing in (("cuStreamQuery", stream), ("cuEventQuery", event)):
        call(name, thing, want=600)
    call("cuStreamQuery", None)  # the stream is one that the default stream does not wait for
    call("cuEventElapsedTime", byref(c_float()), event, event, want=600)
    gate.set()
    call("cuEventSynchronize", event)
    assert read(machine.memory, 32) == [10] * 32
    call("cuStreamQuery", stream)
    call("cuLaunchKernel", machine.double, 1, 1, 1, 64, 1, 1, 0, stream, machine.values(machine.memory), None, want=1)
    call("cuLaunchKernel", machine.add, 1, 1, 1, 2048, 1, 1, 0, stream, machine.values(machine.memory, c_uint32()), None, want=1)
    call("cuLaunchCooperativeKernel", machine.add, 1, 1, 1, 32, 1, 1, 0, stream, machine.values(machine.memory, c_uint32(1)))
    call("cuStreamSynchronize", stream)
    assert read(machine.memory, 1) == [11]
    call("cuStreamDestroy_v2", stream)
    call("cuEventDestroy_v2", event)
    machine.free()


def test_streams_of_threads():
    """The names of programs whose default stream is one of each thread."""
    machine, numbers = Machine(), (c_uint32 * 32)(*range(32))
    call("cuMemcpyHtoD_v2_ptds", machine.memory, numbers, 128)
    call("cuLaunchKernel_ptsz", machine.add, 1, 1, 1, 32, 1, 1, 0, None, machine.values(machine.memory, c_uint32(4)), None)
    call("cuStreamSynchronize_ptsz", None)
    assert read(machine.memory, 32) == [number + 4 for number in range(32)]
    machine.free()


def test_callback():
    """It is given what stopped the work before it."""
    got, machine = [], Machine()
    called = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(lambda stream, status, user: got.append((status, user)))
    call("cuStreamAddCallback", None, called, c_void_p(7), 0)
    machine.launch(machine.add, None, c_uint64(64), c_uint32(1))
    call("cuStreamAddCallback", None, called, c_void_p(8), 0)
    call("cuCtxSynchronize", want=700)
    assert got == [(0, 7), (700, 8)], got
    call("cuDevicePrimaryCtxReset_v2", 0)


def test_graph():
    machine = Machine()
    graph, nodes = out(c_void_p, "cuGraphCreate", 0), [c_void_p() for _ in range(4)]
    memory, other = machine.memory, out(c_uint64, "cuMemAlloc_v2", 128)
    fill = Fill(memory.value, 0, 3, 4, 32, 1)
    add, double = machine.params(machine.add, memory, c_uint32(2)), machine.params(machine.double, memory)
    copy = Copy3D(srcType=2, srcDevice=memory.value, dstType=2, dstDevice=other.value, Width=128, Height=1, Depth=1)
    # made in an order in which they cannot run
    call("cuGraphAddMemcpyNode", byref(nodes[3]), graph, None, c_size_t(0), byref(copy), None)
    call("cuGraphAddKernelNode", byref(nodes[2]), graph, None, c_size_t(0), byref(double))
    call("cuGraphAddKernelNode", byref(nodes[1]), graph, None, c_size_t(0), byref(add))
    call("cuGraphAddMemsetNode", byref(nodes[0]), graph, None, c_size_t(0), byref(fill), None)
    before, behind = (c_void_p * 3)(*nodes[:3]), (c_void_p * 3)(*nodes[1:])
    call("cuGraphAddDependencies", graph, before, behind, c_size_t(3))
    call("cuGraphAddDependencies", graph, before, behind, c_size_t(1), want=1)
    count = c_size_t()
    call("cuGraphGetRootNodes", graph, None, byref(count))
    assert count.value == 1
    call("cuGraphGetEdges", graph, None, None, byref(count))
    assert count.value == 3
    ready = c_void_p()
    call("cuGraphInstantiate_v2", byref(ready), graph, None, None, c_size_t(0))
    call("cuGraphLaunch", ready, None)
    add.params = ctypes.cast(machine.values(memory, c_uint32(7)), c_void_p)
    call("cuGraphExecKernelNodeSetParams", ready, nodes[1], byref(add))
    assert read(other, 32) == [10] * 32
    call("cuGraphLaunch", ready, None)
    assert read(other, 32) == [20] * 32
    call("cuGraphExecKernelNodeSetParams", ready, nodes[0], byref(add), want=1)
    circle = (c_void_p * 1)(nodes[3]), (c_void_p * 1)(nodes[0])
    call("cuGraphAddDependencies", graph, *circle, c_size_t(1))
    call("cuGraphInstantiateWithFlags", byref(c_void_p()), graph, c_uint64(0), want=1)
    call("cuGraphRemoveDependencies", graph, *circle, c_size_t(1))
    check_child(graph, other, machine)
    call("cuGraphDestroy", graph)
    call("cuGraphExecDestroy", ready)
    call("cuMemFree_v2", other)
    machine.free()


def test_graph_sizes():
    """How large a grid is can be said when the graph is ready."""
    machine = Machine()
    graph, node, ready = out(c_void_p, "cuGraphCreate", 0), c_void_p(), c_void_p()
    call("cuMemsetD32_v2", machine.memory, c_uint(0), c_size_t(32))
    add = machine.params(machine.add, machine.memory, c_uint32(3))
    sizes, add.grid = tuple(add.grid), (0, 1, 1)
    call("cuGraphAddKernelNode", byref(node), graph, None, c_size_t(0), byref(add))
    call("cuGraphInstantiate_v2", byref(ready), graph, None, None, c_size_t(0))
    call("cuGraphLaunch", ready, None, want=1)
    add.grid = sizes
    call("cuGraphExecKernelNodeSetParams", ready, node, byref(add))
    call("cuGraphLaunch", ready, None)
    assert read(machine.memory, 32) == [3] * 32
    call("cuGraphExecDestroy", ready)
    call("cuGraphDestroy", graph)
    machine.free()


def check_child(graph, other, machine):
    """A graph is a node of another, and clones are like what they are made of."""
    outer, first, last, clone, ready = out(c_void_p, "cuGraphCreate", 0), c_void_p(), c_void_p(), c_void_p(), c_void_p()
    call("cuGraphAddChildGraphNode", byref(first), outer, None, c_size_t(0), graph)
    add = machine.params(machine.add, other, c_uint32(100))
    call("cuGraphAddKernelNode_v2", byref(last), outer, (c_void_p * 1)(first), c_size_t(1), byref(add))
    call("cuGraphClone", byref(clone), outer)
    call("cuGraphDestroy", outer)
    call("cuGraphInstantiateWithFlags", byref(ready), clone, c_uint64(0))
    call("cuGraphLaunch", ready, None)
    assert read(other, 32) == [110] * 32
    call("cuGraphExecDestroy", ready)
    call("cuGraphDestroy", clone)


def test_capture():
    """Work of two streams, which an event joins, becomes a graph."""
    machine = Machine()
    first, second = out(c_void_p, "cuStreamCreate", 0), out(c_void_p, "cuStreamCreate", 0)
    fork, join = out(c_void_p, "cuEventCreate", 2), out(c_void_p, "cuEventCreate", 2)
    call("cuMemsetD32_v2", machine.memory, 1, 32)
    call("cuStreamBeginCapture_v2", first, 0)
    call("cuStreamBeginCapture_v2", first, 0, want=401)
    machine.launch(machine.add, first, machine.memory, c_uint32(1))
    call("cuEventRecord", fork, first)
    call("cuStreamWaitEvent", second, fork, 0)
    machine.launch(machine.double, second, machine.memory)
    call("cuStreamEndCapture", second, byref(c_void_p()), want=903)
    call("cuEventRecord", join, second)
    call("cuStreamWaitEvent", first, join, 0)
    call("cuMemsetD32Async", machine.memory, 9, 1, first)
    graph, ready, count = out_of_capture(first), c_void_p(), c_size_t()
    assert read(machine.memory, 2) == [1, 1]
    call("cuGraphGetNodes", graph, None, byref(count))
    assert count.value == 3
    call("cuGraphInstantiateWithFlags", byref(ready), graph, c_uint64(0))
    call("cuGraphLaunch", ready, first)
    call("cuStreamSynchronize", first)
    assert read(machine.memory, 2) == [9, 4]
    call("cuStreamBeginCapture_v2", first, 0)
    call("cuEventRecord", fork, first)
    call("cuStreamWaitEvent", second, fork, 0)
    machine.launch(machine.double, second, machine.memory)
    call("cuStreamEndCapture", first, byref(c_void_p()), want=904)
    call("cuStreamSynchronize", second)
    for name, thing in (("cuGraphExecDestroy", ready), ("cuGraphDestroy", graph), ("cuEventDestroy_v2", fork), ("cuEventDestroy_v2", join),
                        ("cuStreamDestroy_v2", first), ("cuStreamDestroy_v2", second)):
        call(name, thing)
    machine.free()


def test_spoiled_captures():
    """What no capture allows is refused, as is all that comes then until the capture ends, which makes no graph."""
    machine = Machine()
    first, second = out(c_void_p, "cuStreamCreate", 0), out(c_void_p, "cuStreamCreate", 0)
    fork, status = out(c_void_p, "cuEventCreate", 2), c_int()
    for name, argument, want in (("cuStreamSynchronize", second, 900), ("cuStreamQuery", first, 900), ("cuEventQuery", fork, 907),
                                 ("cuEventSynchronize", fork, 907)):
        call("cuStreamBeginCapture_v2", first, 0)
        call("cuEventRecord", fork, first)
        call("cuStreamWaitEvent", second, fork, 0)
        call(name, argument, want=want)
        call("cuMemsetD32Async", machine.memory, 9, 1, first, want=901)
        call("cuStreamWaitEvent", second, fork, 0, want=901)
        call("cuStreamSynchronize", second, want=901)
        call("cuStreamIsCapturing", second, byref(status))
        assert status.value == 2
        graph = c_void_p(1)
        call("cuStreamEndCapture", first, byref(graph), want=901)
        assert graph.value is None
        call("cuStreamSynchronize", second)
    for name, thing in (("cuEventDestroy_v2", fork), ("cuStreamDestroy_v2", first), ("cuStreamDestroy_v2", second)):
        call(name, thing)
    machine.free()


def out_of_capture(stream):
    graph, status = c_void_p(), c_int()
    call("cuStreamIsCapturing", stream, byref(status))
    assert status.value == 1
    call("cuStreamEndCapture", stream, byref(graph))
    call("cuStreamIsCapturing", stream, byref(status))
    assert status.value == 0
    return graph


def test_copies():
    """A box of a pitched allocation, there and back."""
    pitch, memory = c_size_t(), c_uint64()
    call("cuMemAllocPitch_v2", byref(memory), byref(pitch), c_size_t(100), c_size_t(8), 4)
    assert pitch.value >= 100 and pitch.value % 512 == 0
    call("cuMemsetD2D8_v2", memory, pitch, 0, c_size_t(100), c_size_t(8))
    source = bytes(range(256))
    copy = Copy2D(srcType=1, srcHost=ctypes.cast(source, c_void_p), srcX=2, srcY=1, srcPitch=16, dstType=2, dstDevice=memory.value, dstX=3, dstY=2,
                  dstPitch=pitch, Width=5, Height=4)
    call("cuMemcpy2D_v2", byref(copy))
    back = ctypes.create_string_buffer(100 * 8)
    call("cuMemcpy2D_v2", byref(Copy2D(srcType=2, srcDevice=memory.value, srcPitch=pitch, dstType=1, dstHost=ctypes.cast(back, c_void_p), dstPitch=100,
                                       Width=100, Height=8)))
    for y in range(8):
        for x in range(100):
            want = source[(y - 2 + 1) * 16 + x - 3 + 2] if 2 <= y < 6 and 3 <= x < 8 else 0
            assert back.raw[100 * y + x] == want, (x, y)
    copy.Height = 40
    call("cuMemcpy2D_v2", byref(copy), want=1)
    cube, to = bytes(i * 7 % 251 for i in range(4 * 5 * 6)), ctypes.create_string_buffer(4 * 5 * 6)
    call("cuMemcpy3D_v2", byref(Copy3D(srcType=1, srcHost=ctypes.cast(cube, c_void_p), srcPitch=4, srcRows=5, dstType=2, dstDevice=memory.value,
                                       dstPitch=8, dstRows=10, Width=4, Height=5, Depth=6)))
    call("cuMemcpy3D_v2", byref(Copy3D(srcType=2, srcDevice=memory.value, srcPitch=8, srcRows=10, srcX=1, srcY=2, srcZ=3, dstType=1,
                                       dstHost=ctypes.cast(to, c_void_p), Width=3, Height=3, Depth=3)))
    assert to.raw[:27] == bytes(cube[4 * (5 * z + y) + x] for z in range(3, 6) for y in range(2, 5) for x in range(1, 4))
    call("cuMemFree_v2", memory)


def test_values():
    """A stream waits until another thread's stream has written a value."""
    memory = out(c_uint64, "cuMemAlloc_v2", 64)
    call("cuMemsetD32_v2", memory, 0, 16)
    call("cuStreamWriteValue32_v2", None, memory, 5, 0)
    call("cuStreamWaitValue32_v2", None, memory, 5, 1)
    call("cuStreamWriteValue64_v2", None, c_uint64(memory.value + 8), c_uint64(1 << 40), 0)
    assert read(memory, 4) == [5, 0, 0, 256]
    call("cuStreamWaitValue32_v2", None, c_uint64(memory.value + 2), 5, 1, want=1)
    call("cuMemFree_v2", memory)


def test_waits_across_streams():
    """A stream waits for a value that a later call lets another stream, or the program, write; what is behind it waits, the rest goes on."""
    machine = Machine()
    memory, flag = machine.memory, out(c_uint64, "cuMemAlloc_v2", 64)
    waiter, behind, writer, blocking = [out(c_void_p, "cuStreamCreate", flags) for flags in (1, 1, 1, 0)]
    event, early = out(c_void_p, "cuEventCreate", 0), out(c_void_p, "cuEventCreate", 0)
    call("cuMemsetD32_v2", flag, 0, 16)
    call("cuMemsetD32_v2", memory, 1, 32)
    call("cuStreamWaitValue32_v2", waiter, flag, 5, 1)
    machine.launch(machine.double, waiter, memory)
    call("cuEventRecord", event, waiter)
    call("cuStreamWaitEvent", behind, event, 0)
    machine.launch(machine.add, behind, memory, c_uint32(1))  # 1 * 2 + 1
    machine.launch(machine.add, writer, memory, c_uint32(3))
    call("cuEventRecord", early, writer)
    call("cuEventSynchronize", early)
    for name, thing in (("cuStreamQuery", waiter), ("cuStreamQuery", behind), ("cuEventQuery", event)):
        call(name, thing, want=600)
    assert read(memory, 1) == [4]
    call("cuStreamWriteValue32_v2", writer, flag, 5, 0)
    call("cuStreamSynchronize", behind)
    call("cuEventQuery", event)
    assert read(memory, 32) == [9] * 32
    # the default stream stands behind a blocking one, as on GPUs, and another stream writes
    call("cuStreamWaitValue64_v2", blocking, flag, c_uint64(9), 0)
    machine.launch(machine.double, None, memory)
    call("cuStreamQuery", None, want=600)
    call("cuStreamWriteValue64_v2", writer, flag, c_uint64(10), 0)
    call("cuStreamSynchronize", None)
    assert read(memory, 1) == [18]
    # the program itself writes, by a copy that does not wait for a stream that is apart
    call("cuStreamWaitValue32_v2", waiter, flag, 77, 1)
    call("cuMemsetD32_v2", flag, 77, 1)
    call("cuStreamSynchronize", waiter)
    # captured: the wait is one of the graph's nodes, and other work goes on within the launch of the graph
    call("cuStreamBeginCapture_v2", waiter, 0)
    call("cuStreamWaitValue32_v2", waiter, flag, 78, 1)
    machine.launch(machine.add, waiter, memory, c_uint32(1))
    graph = c_void_p()
    call("cuStreamEndCapture", waiter, byref(graph))
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuGraphLaunch", ready, waiter)
    call("cuStreamQuery", waiter, want=600)
    call("cuStreamWriteValue32_v2", writer, flag, 78, 0)
    call("cuCtxSynchronize")
    assert read(memory, 1) == [19]
    for name, thing in (("cuGraphExecDestroy", ready), ("cuGraphDestroy", graph), ("cuMemFree_v2", flag)):
        call(name, thing)
    for stream in (waiter, behind, writer, blocking):
        call("cuStreamDestroy_v2", stream)
    machine.free()


def test_stream_of_each_thread():
    """CU_STREAM_PER_THREAD is one stream of each thread: what another thread's waits for does not hold it up."""
    machine, own = Machine(), c_void_p(2)
    memory, flag = machine.memory, out(c_uint64, "cuMemAlloc_v2", 64)
    call("cuMemsetD32_v2", flag, 0, 16)
    call("cuMemsetD32_v2", memory, 1, 32)
    context = out(c_void_p, "cuCtxGetCurrent")
    numbers, here, waits, ends = [], out_of_stream(own), threading.Event(), threading.Event()

    def work():
        call("cuCtxSetCurrent", context)
        call("cuStreamWaitValue32_v2", own, flag, 5, 1)
        machine.launch(machine.double, own, memory)
        numbers.append(out_of_stream(own))
        call("cuStreamQuery", own, want=600)
        waits.set()
        call("cuStreamSynchronize", own)
        assert read(memory, 1) == [8]
        ends.wait()

    thread = threading.Thread(target=work)
    thread.start()
    assert waits.wait(20)
    machine.launch(machine.add, own, memory, c_uint32(3))
    call("cuStreamSynchronize", own)
    call("cuStreamQuery", own)
    call("cuStreamWriteValue32_v2", own, flag, 5, 0)
    ends.set()
    thread.join()
    assert numbers == [n for n in numbers if n != here] and here == out_of_stream(own)
    assert read(memory, 32) == [8] * 32
    call("cuStreamDestroy_v2", own, want=400)
    call("cuMemFree_v2", flag)
    machine.free()


def out_of_stream(stream):
    number = c_uint64()
    call("cuStreamGetId", stream, byref(number))
    return number.value


def test_no_kernels():
    """A module of variables alone."""
    module = out(c_void_p, "cuModuleLoadData", b".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .u32 seven = 7;\0")
    address, count = c_uint64(), c_uint()
    call("cuModuleGetGlobal_v2", byref(address), None, module, b"seven")
    call("cuModuleGetFunctionCount", byref(count), module)
    assert read(address, 1) == [7] and count.value == 0
    call("cuModuleGetFunction", byref(c_void_p()), module, b"seven", want=500)
    call("cuModuleUnload", module)


CONSTANTS = b""".version 7.5
.target sm_75
.address_size 64
.global .u32 here = 40;
.const .align 4 .u32 factors[4] = {1, 2, 3, 4};
.const .align 8 .u64 where = generic(here);
.visible .entry scale(.param .u64 out, .param .align 4 .b8 pair[8]) {
    .reg .u64 %a<4>; .reg .u32 %r<6>;
    ld.param.u64 %a0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %a1, %r0, 4; add.u64 %a0, %a0, %a1;
    mov.u64 %a2, factors; add.u64 %a2, %a2, %a1; ld.const.u32 %r1, [%a2]; ld.const.u64 %a3, [where]; ld.u32 %r2, [%a3];
    ld.param.u32 %r3, [pair+4]; mad.lo.u32 %r1, %r1, %r2, %r3; st.global.u32 [%a0], %r1; ret;
}
\0"""


def test_constants():
    """Variables in constant memory have what the program says, then what was copied to them; each module has its own."""
    first, second = [out(c_void_p, "cuModuleLoadData", CONSTANTS) for _ in range(2)]
    memory, bytes_of, values = out(c_uint64, "cuMemAlloc_v2", 16), c_size_t(), (c_uint32 * 2)(0, 5)
    listed = (c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(values))

    def launch(module):
        scale = out(c_void_p, "cuModuleGetFunction", module, b"scale")
        call("cuLaunchKernel", scale, 1, 1, 1, 4, 1, 1, 0, None, listed, None)

    launch(first)
    assert read(memory, 4) == [45, 85, 125, 165]
    factors = c_uint64()
    call("cuModuleGetGlobal_v2", byref(factors), byref(bytes_of), first, b"factors")
    assert bytes_of.value == 16 and read(factors, 4) == [1, 2, 3, 4]
    call("cuMemcpyHtoD_v2", factors, (c_uint32 * 4)(7, 6, 5, 4), c_size_t(16))
    launch(first)
    assert read(memory, 4) == [285, 245, 205, 165]
    stream = out(c_void_p, "cuStreamCreate", 0)
    call("cuMemsetD32Async", c_uint64(factors.value + 4), 1, c_size_t(2), stream)  # in the order of the queue
    launch(first)
    assert read(memory, 4) == [285, 45, 45, 165]
    launch(second)
    assert read(memory, 4) == [45, 85, 125, 165]
    where = c_uint64()
    call("cuModuleGetGlobal_v2", byref(where), None, first, b"where")
    call("cuMemcpyHtoD_v2", where, byref(factors), c_size_t(8))  # an address that was an initial value
    launch(first)
    assert read(memory, 4) == [54, 12, 12, 33]
    call("cuModuleGetGlobal_v2", byref(where), None, first, b"pair", want=500)
    for name, thing in (("cuModuleUnload", first), ("cuModuleUnload", second), ("cuMemFree_v2", memory), ("cuStreamDestroy_v2", stream)):
        call(name, thing)


def test_events_of_graphs():
    """A graph's record is one of the event when the graph is launched; an event may be destroyed before that."""
    machine, gate = Machine(), threading.Event()
    graph, event, lost = out(c_void_p, "cuGraphCreate", 0), out(c_void_p, "cuEventCreate", 0), out(c_void_p, "cuEventCreate", 0)
    wait, nodes = ctypes.CFUNCTYPE(None, c_void_p)(lambda user: gate.wait(20)), [c_void_p() for _ in range(3)]
    call("cuGraphAddHostNode", byref(nodes[0]), graph, None, c_size_t(0), (c_void_p * 2)(ctypes.cast(wait, c_void_p), None))
    call("cuGraphAddEventRecordNode", byref(nodes[1]), graph, byref(nodes[0]), c_size_t(1), event)
    call("cuGraphAddEventRecordNode", byref(nodes[2]), graph, byref(nodes[1]), c_size_t(1), lost)
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuEventElapsedTime", byref(c_float()), event, event, want=400)
    call("cuGraphLaunch", ready, None)
    call("cuEventDestroy_v2", lost)
    call("cuEventQuery", event, want=600)
    gate.set()
    call("cuEventSynchronize", event)
    call("cuEventElapsedTime", byref(c_float()), event, event)
    call("cuGraphLaunch", ready, None)
    call("cuCtxSynchronize")
    for name, thing in (("cuGraphExecDestroy", ready), ("cuGraphDestroy", graph), ("cuEventDestroy_v2", event)):
        call(name, thing)
    machine.free()


def test_functions():
    machine, blocks, value, name = Machine(), c_int(), c_int(), ctypes.c_char_p()
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), machine.add, 256, c_size_t(0))
    assert blocks.value == 8
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), machine.add, 64, c_size_t(40000))
    assert blocks.value == 4 # 164 KB by 40000 bytes and 1 KB that each block reserves
    grid = c_int()
    call("cuOccupancyMaxPotentialBlockSize", byref(grid), byref(blocks), machine.double, None, c_size_t(0), 0)
    assert blocks.value == 32 and grid.value == 108 * 32
    call("cuFuncGetAttribute", byref(value), 0, machine.double)
    assert value.value == 32
    call("cuFuncSetAttribute", machine.add, 8, 1 << 20, want=1)
    call("cuFuncGetName", byref(name), machine.add)
    assert name.value == b"add"
    offset, size = c_size_t(), c_size_t()
    call("cuFuncGetParamInfo", machine.add, c_size_t(1), byref(offset), byref(size))
    assert (offset.value, size.value) == (8, 4)
    call("cuFuncGetParamInfo", machine.add, c_size_t(2), byref(offset), byref(size), want=1)
    machine.free()


def lz4(text):
    """A block that begins with 64 blanks, of which 63 are a copy; the rest are literals."""
    literals, text = text, b" " * 64 + text
    block = bytes([0x1F]) + b" " + bytes([1, 0, 63 - 19])
    block += bytes([0xF0]) + b"\xff" * ((len(literals) - 15) // 255) + bytes([(len(literals) - 15) % 255]) + literals
    return text, block


def zstd(text):
    """A frame of one raw block."""
    return text, struct.pack("<IBI", 0xFD2FB528, 0xA0, len(text)) + struct.pack("<I", len(text) << 3 | 1)[:3] + text


def fat(text, payload, flags, kind=1):
    padded = payload + bytes(-len(payload) % 8)
    entry = struct.pack("<HHIQIIIIIIQQQQQ", kind, 0x101, 80, len(padded), len(payload), 64, 9 << 16, 75, 0, 0, flags, 0, len(text), 0, 0)
    assert len(entry) == 80
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(padded)) + entry + padded


def test_fat_binaries():
    plain = PTX.rstrip(b"\0")
    images = [fat(PTX, PTX, 0), fat(*lz4(plain), 0x2000), fat(*zstd(plain), 0x8000)]
    for image in images:
        machine = Machine(image)
        call("cuMemsetD32_v2", machine.memory, 1, 32)
        machine.launch(machine.add, None, machine.memory, c_uint32(2))
        assert read(machine.memory, 32) == [3] * 32
        machine.free()
        kept = ctypes.create_string_buffer(image)
        Machine(struct.pack("<IIQQ", 0x466243B1, 1, ctypes.addressof(kept), 0)).free()
    broken = lz4(plain)[1]
    for image, error in ((fat(PTX, PTX, 0, kind=2), 209), (b"\x7fELF" + bytes(60), 209), (fat(plain, broken[:40], 0x2000), 200),
                         (fat(plain, b"\x0f\x05\x00" + broken, 0x2000), 200)):
        call("cuModuleLoadData", byref(c_void_p()), image, want=error)


def test_names():
    for name, version, want in ((b"cuGraphInstantiate", 11000, "cuGraphInstantiate_v2"), (b"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"),
                                (b"cuMemcpyHtoDAsync", 12000, "cuMemcpyHtoDAsync_v2"), (b"cuLaunchKernel", 12000, "cuLaunchKernel"),
                                (b"cuStreamBeginCapture", 12000, "cuStreamBeginCapture_v2")):
        function, status = c_void_p(), c_int()
        call("cuGetProcAddress_v2", name, byref(function), version, c_uint64(0), byref(status))
        assert function.value == ctypes.cast(getattr(cuda, want), c_void_p).value and status.value == 0, name
    text = ctypes.c_char_p()
    call("cuGetErrorName", 904, byref(text))
    assert text.value == b"CUDA_ERROR_STREAM_CAPTURE_UNJOINED"


start()
for test in (test_order, test_streams_of_threads, test_callback, test_graph, test_graph_sizes, test_capture, test_spoiled_captures, test_copies, test_values,
             test_waits_across_streams, test_stream_of_each_thread, test_no_kernels, test_constants, test_events_of_graphs, test_functions, test_fat_binaries, test_names):
    test()
print("cuda_work: ok")
