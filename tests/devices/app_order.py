#!/usr/bin/env python3
"""usage: app_order.py HEXEC [CASE]

Races between launches and copies of different streams and queues: each case is a program that runs by `hexec app --check race`, and
what must be found, as (message's begin, places). With CASE it is that program."""
import ctypes
import sys
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p

import app_cases

PTX = b""".version 7.5
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 out) {
    .reg .u64 %a<3>; .reg .u32 %r<3>;
    ld.param.u64 %a0, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4; add.u64 %a0, %a0, %a1;
    st.global.u32 [%a0], %r1; ret;
}
.visible .entry copy(.param .u64 out, .param .u64 in) {
    .reg .u64 %a<4>; .reg .u32 %r<3>;
    ld.param.u64 %a0, [out]; ld.param.u64 %a3, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4;
    add.u64 %a0, %a0, %a1; add.u64 %a3, %a3, %a1; ld.global.u32 %r2, [%a3]; st.global.u32 [%a0], %r2; ret;
}
.visible .entry count(.param .u64 out) {
    .reg .u64 %a<3>; .reg .u32 %r<3>;
    ld.param.u64 %a0, [out]; atom.global.add.u32 %r1, [%a0], 1; ret;
}
\0"""
CL = b"""kernel void fill(global int *x) { x[get_global_id(0)] = get_global_id(0); }
kernel void copy(global int *y, global int *x) { y[get_global_id(0)] = x[get_global_id(0)]; }"""


def call(function, *arguments):
    got = function(*arguments)
    assert got == 0, f"{function.__name__} returns {got}"


# ---- CUDA


class Cuda:
    """A module, memory for 32 numbers each in `x` and `y`, two streams and an event."""

    def __init__(self, flags=0):
        self.api = ctypes.CDLL("libcuda.so.1")
        call(self.api.cuInit, 0)
        call(self.api.cuDevicePrimaryCtxRetain, byref(context := c_void_p()), 0)
        call(self.api.cuCtxSetCurrent, context)
        module = self.out(c_void_p, "cuModuleLoadData", PTX)
        self.kernels = {name: self.out(c_void_p, "cuModuleGetFunction", module, name.encode()) for name in ("fill", "copy", "count")}
        self.x, self.y = (self.out(c_uint64, "cuMemAlloc_v2", 128) for _ in "xy")
        self.one, self.two = (self.out(c_void_p, "cuStreamCreate", flags) for _ in "12")
        self.event = self.out(c_void_p, "cuEventCreate", 0)

    def out(self, kind, name, *arguments):
        value = kind()
        call(getattr(self.api, name), byref(value), *arguments)
        return value

    def launch(self, kernel, stream, *memories):
        values = (c_void_p * len(memories))(*[ctypes.addressof(memory) for memory in memories])
        call(self.api.cuLaunchKernel, self.kernels[kernel], 1, 1, 1, 32, 1, 1, 0, stream, values, None)

    def read(self, memory, stream=None):
        """By a copy that is asynchronous, to memory that stays where it is, or at once."""
        if stream is None:
            call(self.api.cuMemcpyDtoH_v2, (c_uint32 * 32)(), memory, 128)
            return
        host = self.out(c_void_p, "cuMemAllocHost_v2", 128)
        call(self.api.cuMemcpyDtoHAsync_v2, host, memory, 128, stream)


def cuda_streams():
    cuda = Cuda()
    cuda.launch("fill", cuda.one, cuda.x)
    cuda.launch("copy", cuda.two, cuda.y, cuda.x)


def cuda_one_stream():
    cuda = Cuda()
    cuda.launch("fill", cuda.one, cuda.x)
    cuda.launch("copy", cuda.one, cuda.y, cuda.x)
    cuda.launch("fill", cuda.two, cuda.out(c_uint64, "cuMemAlloc_v2", 128))


def cuda_event():
    cuda = Cuda()
    cuda.launch("fill", cuda.one, cuda.x)
    call(cuda.api.cuEventRecord, cuda.event, cuda.one)
    call(cuda.api.cuStreamWaitEvent, cuda.two, cuda.event, 0)
    cuda.launch("copy", cuda.two, cuda.y, cuda.x)


def cuda_event_before():
    """The event is recorded too early."""
    cuda = Cuda()
    call(cuda.api.cuEventRecord, cuda.event, cuda.one)
    cuda.launch("fill", cuda.one, cuda.x)
    call(cuda.api.cuStreamWaitEvent, cuda.two, cuda.event, 0)
    cuda.launch("copy", cuda.two, cuda.y, cuda.x)


def cuda_host_waits():
    cuda = Cuda()
    cuda.launch("fill", cuda.one, cuda.x)
    call(cuda.api.cuStreamSynchronize, cuda.one)
    cuda.launch("copy", cuda.two, cuda.y, cuda.x)
    call(cuda.api.cuCtxSynchronize)
    cuda.launch("fill", cuda.one, cuda.y)


def cuda_default():
    """The default stream comes behind the others, and they behind it."""
    cuda = Cuda()
    cuda.launch("fill", cuda.one, cuda.x)
    cuda.launch("copy", None, cuda.y, cuda.x)
    cuda.launch("fill", cuda.two, cuda.y)
    cuda.read(cuda.y)


def cuda_apart():
    """... but for streams that are CU_STREAM_NON_BLOCKING."""
    cuda = Cuda(flags=1)
    cuda.launch("fill", cuda.one, cuda.x)
    cuda.read(cuda.x)


def cuda_copy():
    cuda = Cuda()
    cuda.launch("fill", cuda.one, cuda.x)
    cuda.read(cuda.x, cuda.two)


def cuda_fills():
    cuda = Cuda()
    call(cuda.api.cuMemsetD32Async, cuda.x, 1, 32, cuda.one)
    call(cuda.api.cuMemsetD32Async, cuda.x, 2, 32, cuda.two)


def cuda_atomics():
    cuda = Cuda()
    cuda.launch("count", cuda.one, cuda.x)
    cuda.launch("count", cuda.two, cuda.x)


# ---- OpenCL


class OpenCl:
    """Kernels, buffers for 32 numbers each in `x` and `y`."""

    def __init__(self):
        self.api = ctypes.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel", "clCreateBuffer"):
            getattr(self.api, name).restype = c_void_p
        self.device, platform = c_void_p(), c_void_p()
        call(self.api.clGetPlatformIDs, 1, byref(platform), None)
        call(self.api.clGetDeviceIDs, platform, c_uint64(0xFFFFFFFF), 1, byref(self.device), None)
        self.context = c_void_p(self.api.clCreateContext(None, 1, byref(self.device), None, None, None))
        self.program = c_void_p(self.api.clCreateProgramWithSource(self.context, 1, byref(ctypes.c_char_p(CL)), None, None))
        call(self.api.clBuildProgram, self.program, 0, None, None, None, None)
        self.x, self.y = (c_void_p(self.api.clCreateBuffer(self.context, c_uint64(1), c_size_t(128), None, None)) for _ in "xy")

    def queue(self, properties=0):
        return c_void_p(self.api.clCreateCommandQueue(self.context, self.device, c_uint64(properties), None))

    def launch(self, name, queue, *memories, behind=()):
        kernel, event = c_void_p(self.api.clCreateKernel(self.program, name.encode(), None)), c_void_p()
        for index, memory in enumerate(memories):
            call(self.api.clSetKernelArg, kernel, index, c_size_t(8), byref(memory))
        events = (c_void_p * len(behind))(*behind) if behind else None
        call(self.api.clEnqueueNDRangeKernel, queue, kernel, 1, None, byref(c_size_t(32)), byref(c_size_t(32)), len(behind), events,
             byref(event))
        return event


def opencl_queues():
    cl = OpenCl()
    one, two = cl.queue(), cl.queue()
    cl.launch("fill", one, cl.x)
    cl.launch("copy", two, cl.y, cl.x)
    call(cl.api.clFinish, one)
    call(cl.api.clFinish, two)


def opencl_event():
    cl = OpenCl()
    one, two = cl.queue(), cl.queue()
    filled = cl.launch("fill", one, cl.x)
    cl.launch("copy", two, cl.y, cl.x, behind=[filled])
    call(cl.api.clFinish, two)
    cl.launch("fill", one, cl.y)
    call(cl.api.clFinish, one)


def opencl_out_of_order():
    cl = OpenCl()
    queue = cl.queue(1)
    cl.launch("fill", queue, cl.x)
    cl.launch("copy", queue, cl.y, cl.x)
    call(cl.api.clFinish, queue)


def opencl_barrier():
    cl = OpenCl()
    queue = cl.queue(1)
    cl.launch("fill", queue, cl.x)
    call(cl.api.clEnqueueBarrierWithWaitList, queue, 0, None, None)
    cl.launch("copy", queue, cl.y, cl.x)
    call(cl.api.clFinish, queue)


def opencl_in_order():
    cl = OpenCl()
    queue, host = cl.queue(), (c_int * 32)()
    cl.launch("fill", queue, cl.x)
    cl.launch("copy", queue, cl.y, cl.x)
    call(cl.api.clEnqueueReadBuffer, queue, cl.y, 1, c_size_t(0), c_size_t(128), host, 0, None, None)


def opencl_read():
    cl = OpenCl()
    one, two, host = cl.queue(), cl.queue(), (c_int * 32)()
    cl.launch("fill", one, cl.x)
    call(cl.api.clFinish, one)
    cl.launch("fill", one, cl.x)
    call(cl.api.clEnqueueReadBuffer, two, cl.x, 1, c_size_t(0), c_size_t(128), host, 0, None, None)
    call(cl.api.clFinish, one)


BOTH = "store of launch 1 (fill) in stream 3 and load of launch 2 (copy) in stream 4 that nothing orders, of element 0 of buffer 'allocation 1'"
EXPECTED = {
    cuda_streams: (BOTH, 32), cuda_one_stream: None, cuda_event: None, cuda_event_before: (BOTH, 32), cuda_host_waits: None,
    cuda_default: None, cuda_apart: ("store of launch 1 (fill) in stream 3 and copy to the host in the default stream", 32),
    cuda_copy: ("store of launch 1 (fill) in stream 3 and copy to the host in stream 4", 32),
    cuda_fills: ("fill in stream 3 and fill in stream 4", 1), cuda_atomics: None,
    opencl_queues: ("store of launch 1 (fill) in queue 1 and load of launch 2 (copy) in queue 2", 32), opencl_event: None,
    opencl_out_of_order: ("store of launch 1 (fill) in queue 1 and load of launch 2 (copy) in queue 1", 32), opencl_barrier: None,
    opencl_in_order: None, opencl_read: (" in queue ", 32),
}


def check(hexec, case, expected):
    code, found, wrong = app_cases.find("race", hexec, case)
    if wrong:
        return wrong
    if expected is None:
        return f"{case.__name__}: found {found}" if found or code else ""
    begin, count = expected
    is_found = len(found) == 1 and found[0]["kind"] == "race.launches" and begin in found[0]["message"] and found[0]["count"] == count
    return "" if is_found and code == 1 else f"{case.__name__}: exit code {code}, found {found}"


if __name__ == "__main__":
    sys.exit(app_cases.main(EXPECTED, check))
