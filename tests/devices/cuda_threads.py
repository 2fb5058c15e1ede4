#!/usr/bin/env python3
"""usage: cuda_threads.py LIBCUDA.so.1

Programs whose default stream is one of each thread: the functions that they call, by their names and by cuGetProcAddress, do their work in the
stream of the calling thread, so that another thread's does not hold it up."""
import ctypes
import os
import pathlib
import signal
import threading
import time
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

from cuda_calls import PTX_ADD, call, cuda, out, start

NOT_READY, IN_CAPTURE, SPOILED = 600, 900, 901
LEGACY, PER_THREAD = c_void_p(1), c_void_p(2)


class Config(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p), ("attributes", c_void_p), ("count", c_uint)]


def test_names():
    for name, flags, want in ((b"cuLaunchKernel", 2, "cuLaunchKernel_ptsz"), (b"cuLaunchKernel", 1, "cuLaunchKernel"), (b"cuLaunchKernel", 0, "cuLaunchKernel"),
                              (b"cuMemcpyHtoD", 2, "cuMemcpyHtoD_v2_ptds"), (b"cuMemcpyHtoD_v2", 2, "cuMemcpyHtoD_v2_ptds"),
                              (b"cuMemcpyHtoA", 2, "cuMemcpyHtoA_v2_ptds"), (b"cuStreamBeginCapture", 2, "cuStreamBeginCapture_v2_ptsz"),
                              (b"cuStreamGetCaptureInfo", 2, "cuStreamGetCaptureInfo_v3_ptsz"), (b"cuMemAlloc", 2, "cuMemAlloc_v2"),
                              (b"cuLaunchKernelEx", 2, "cuLaunchKernelEx_ptsz"), (b"cuMemsetD8", 1, "cuMemsetD8_v2")):
        found = c_void_p()
        call("cuGetProcAddress_v2", name, byref(found), 12040, c_uint64(flags), None)
        assert found.value == ctypes.cast(getattr(cuda, want), c_void_p).value, (name, flags)
    numbers = []
    for name, handle in (("cuStreamGetId", None), ("cuStreamGetId", PER_THREAD), ("cuStreamGetId_ptsz", None), ("cuStreamGetId_ptsz", LEGACY)):
        number = c_uint64()
        call(name, handle, byref(number))
        numbers.append(number.value)
    assert numbers[0] != numbers[1] == numbers[2] and numbers[3] == 1, numbers


class Held:
    """Another thread, whose stream waits until it is let go."""

    def __init__(self):
        self.flag, self.waits = out(c_uint64, "cuMemAlloc_v2", c_size_t(64)), threading.Event()
        call("cuMemsetD32_v2", self.flag, 0, c_size_t(16))
        self.context = out(c_void_p, "cuCtxGetCurrent")
        self.thread = threading.Thread(target=self.wait)
        self.thread.start()
        assert self.waits.wait(20)

    def wait(self):
        call("cuCtxSetCurrent", self.context)
        call("cuStreamWaitValue32_v2_ptsz", None, self.flag, c_uint32(1), 1)
        call("cuStreamQuery_ptsz", None, want=NOT_READY)
        self.waits.set()
        call("cuStreamSynchronize_ptsz", None)

    def let_go(self):
        call("cuStreamWriteValue32_v2_ptsz", None, self.flag, c_uint32(1), 0)
        self.thread.join()
        call("cuStreamQuery", None)
        call("cuMemFree_v2", self.flag)


def test_streams():
    module = out(c_void_p, "cuModuleLoadData", PTX_ADD)
    add, memory, other = out(c_void_p, "cuModuleGetFunction", module, b"add"), *(out(c_uint64, "cuMemAlloc_v2", c_size_t(128)) for _ in range(2))
    array = out(c_void_p, "cuArrayCreate_v2", (c_size_t * 3)(32, 0, 0x1_0000_0003))  # 32 numbers of 32 bits
    held = Held()
    call("cuStreamQuery_ptsz", None)
    call("cuStreamQuery_ptsz", LEGACY, want=NOT_READY)
    call("cuStreamQuery", None, want=NOT_READY)
    numbers, got = (c_uint32 * 32)(*range(32)), (c_uint32 * 32)()
    value = c_uint32(4)
    values = (c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(value))
    call("cuMemcpyHtoD_v2_ptds", memory, numbers, c_size_t(128))
    call("cuLaunchKernel_ptsz", add, 1, 1, 1, 32, 1, 1, 0, None, values, None)
    config = Config((c_uint * 3)(1, 1, 1), (c_uint * 3)(32, 1, 1), 0, None, None, 0)
    call("cuLaunchKernelEx_ptsz", byref(config), add, values, None)
    assert not config.stream
    call("cuMemcpyDtoDAsync_v2_ptsz", other, memory, c_size_t(128), None)
    call("cuMemsetD32_v2_ptds", memory, 7, c_size_t(32))
    call("cuMemcpyDtoH_v2_ptds", got, other, c_size_t(128))
    assert list(got) == [number + 8 for number in range(32)], list(got)
    call("cuMemcpyDtoA_v2_ptds", array, c_size_t(0), memory, c_size_t(128))
    call("cuMemcpyAtoH_v2_ptds", got, array, c_size_t(0), c_size_t(128))
    assert list(got) == [7] * 32
    call("cuMemcpyDtoH_v2_ptds", got, c_uint64(64), c_size_t(4), want=1)
    call("cuMemcpyHtoD_v2_ptds", memory, numbers, c_size_t(0))
    capture_launch(add, values, memory, got)
    held.let_go()
    call("cuMemcpyDtoH_v2", got, memory, c_size_t(128))
    assert list(got) == [11] * 32, list(got)
    call("cuArrayDestroy", array)
    for address in (memory, other):
        call("cuMemFree_v2", address)
    call("cuModuleUnload", module)


def capture_launch(add, values, memory, got):
    call("cuStreamBeginCapture_v2_ptsz", None, 0)
    call("cuMemcpyDtoH_v2_ptds", got, memory, c_size_t(128), want=IN_CAPTURE)
    call("cuStreamEndCapture_ptsz", None, byref(c_void_p()), want=SPOILED)
    call("cuStreamBeginCapture_v2_ptsz", None, 0)
    call("cuLaunchKernel_ptsz", add, 1, 1, 1, 32, 1, 1, 0, None, values, None)
    status = c_int()
    call("cuStreamIsCapturing_ptsz", None, byref(status))
    graph, number, nodes, count = c_void_p(), c_uint64(), c_void_p(), c_size_t()
    call("cuStreamGetCaptureInfo_v2_ptsz", None, byref(status), byref(number), byref(graph), byref(nodes), byref(count))
    assert nodes.value and count.value == 1
    call("cuStreamEndCapture_ptsz", None, byref(graph))
    assert status.value == 1
    ready = out(c_void_p, "cuGraphInstantiateWithFlags", graph, c_uint64(0))
    call("cuGraphLaunch_ptsz", ready, None)
    call("cuStreamSynchronize_ptsz", None)
    call("cuMemcpyDtoH_v2_ptds", got, memory, c_size_t(128))
    assert list(got) == [11] * 32, list(got)
    call("cuGraphExecDestroy", ready)
    call("cuGraphDestroy", graph)


OF_THREAD = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS, signal.SIGABRT}


def blocked_by(task):
    """Of a thread that has ended meanwhile, what it should block."""
    try:
        status = (task / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return set(range(1, 32)) - OF_THREAD
    mask = int(next(line for line in status.splitlines() if line.startswith("SigBlk:")).split()[1], 16)
    return {number for number in range(1, 32) if mask >> (number - 1) & 1}


def test_signals():
    """What is sent to the process is for the program's threads: those of hexec block it, and take only what they bring about themselves."""
    memory, asked = out(c_uint64, "cuMemAlloc_v2", c_size_t(64)), set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}
    taken = []
    signal.signal(signal.SIGUSR1, lambda number, frame: taken.append(threading.get_native_id()))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    call("cuMemsetD32Async", memory, 1, c_size_t(16), None)
    call("cuCtxSynchronize")
    others = [task for task in pathlib.Path("/proc/self/task").iterdir() if int(task.name) != threading.get_native_id()]
    assert others
    for task in others:
        until = time.monotonic() + 60
        while asked - blocked_by(task) != OF_THREAD and time.monotonic() < until:
            time.sleep(0.01)  # while a thread begins, the C library has it block all
        assert asked - blocked_by(task) == OF_THREAD, (task, asked - blocked_by(task))
    os.kill(os.getpid(), signal.SIGUSR1)
    call("cuMemsetD32Async", memory, 2, c_size_t(16), None)
    call("cuCtxSynchronize")
    assert signal.SIGUSR1 in signal.sigpending() and not taken, taken
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert taken == [threading.get_native_id()], taken
    call("cuMemFree_v2", memory)


start()
test_signals()
test_names()
test_streams()
print("cuda_threads: ok")
