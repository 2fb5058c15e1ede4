#!/usr/bin/env python3
"""usage: app_loops.py HEXEC [CASE]

Kernels that wait for a number in memory, in programs that run by `hexec app --check sync`: where nothing can write it, it is a finding; where the
program can, and does, it is none. With CASE it is that program."""
import ctypes
import sys
import threading
import time
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p

import app_cases

PTX = b""".version 7.5
.target sm_75
.address_size 64
.visible .entry wait(.param .u64 flag_) {
    .reg .b64 flag; .reg .b32 value; .reg .pred is_zero; ld.param.u64 flag, [flag_];
again: ld.volatile.global.u32 value, [flag]; setp.eq.u32 is_zero, value, 0; @is_zero bra again;
    ret;
}
\0"""
CL = b"kernel void wait(volatile global int *flag) { while (*flag == 0) ; }"
LATER = 0.7  # seconds, in which the loop would be found many times


class Cuda:
    """A kernel that waits for the number at `flag`, which is 0."""

    def __init__(self):
        self.api = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.context = self.out(c_void_p, "cuDevicePrimaryCtxRetain", 0)
        self.call("cuCtxSetCurrent", self.context)
        self.kernel = self.out(c_void_p, "cuModuleGetFunction", self.out(c_void_p, "cuModuleLoadData", PTX), b"wait")
        self.flag = self.out(c_uint64, "cuMemAlloc_v2", c_size_t(64))
        self.call("cuMemsetD32_v2", self.flag, 0, c_size_t(16))
        self.stream, self.other = (self.out(c_void_p, "cuStreamCreate", 1) for _ in range(2))

    def call(self, name, *arguments, want=0):
        got = getattr(self.api, name)(*arguments)
        assert got == want, f"{name} returns {got}"

    def out(self, kind, name, *arguments):
        value = kind()
        self.call(name, byref(value), *arguments)
        return value

    def launch(self, flag=None):
        values = (c_void_p * 1)(ctypes.addressof(flag or self.flag))
        self.call("cuLaunchKernel", self.kernel, 1, 1, 1, 32, 1, 1, 0, self.stream, values, None)


def cuda_waits():
    cuda = Cuda()
    cuda.launch()
    cuda.call("cuStreamSynchronize", cuda.stream, want=719)


def cuda_ends():
    """The program ends without waiting."""
    Cuda().launch()


def cuda_writes_later():
    """The program does not wait, and then copies a number there, which does not wait for a stream that is apart."""
    cuda = Cuda()
    cuda.launch()
    time.sleep(LATER)
    cuda.call("cuMemcpyHtoD_v2", cuda.flag, byref(c_uint32(1)), c_size_t(4))
    cuda.call("cuStreamSynchronize", cuda.stream)


def cuda_other_thread():
    """One thread waits, and another one, which has given work before, writes."""
    cuda = Cuda()

    def write():
        cuda.call("cuCtxSetCurrent", cuda.context)
        cuda.call("cuStreamSynchronize", cuda.other)
        cuda.call("cuMemsetD32Async", cuda.out(c_uint64, "cuMemAlloc_v2", c_size_t(4)), 0, c_size_t(1), cuda.other)
        ready.set()
        time.sleep(LATER)
        cuda.call("cuMemsetD32_v2", cuda.flag, 1, c_size_t(1))
    ready, thread = threading.Event(), threading.Thread(target=write)
    thread.start()
    ready.wait()
    cuda.launch()
    cuda.call("cuStreamSynchronize", cuda.stream)
    thread.join()


def cuda_host_memory():
    """A thread that calls nothing writes to memory that host and kernel share."""
    cuda, host = Cuda(), c_void_p()
    cuda.call("cuMemHostAlloc", byref(host), c_size_t(64), 2)
    flag = cuda.out(c_uint64, "cuMemHostGetDevicePointer_v2", host, 0)
    number = c_uint32.from_address(host.value)
    number.value = 0
    timer = threading.Timer(LATER, lambda: setattr(number, "value", 1))
    timer.start()
    cuda.launch(flag)
    cuda.call("cuStreamSynchronize", cuda.stream)
    timer.join()


class OpenCl:
    def __init__(self):
        self.api = ctypes.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateBuffer", "clCreateCommandQueue", "clCreateKernel", "clCreateProgramWithSource"):
            getattr(self.api, name).restype = c_void_p
        platform, device, error = c_void_p(), c_void_p(), c_int()
        assert self.api.clGetPlatformIDs(1, byref(platform), None) == 0
        assert self.api.clGetDeviceIDs(platform, c_uint64(0xFFFFFFFF), 1, byref(device), None) == 0
        context = c_void_p(self.api.clCreateContext(None, 1, byref(device), None, None, byref(error)))
        program = c_void_p(self.api.clCreateProgramWithSource(context, 1, byref(ctypes.c_char_p(CL)), None, byref(error)))
        assert self.api.clBuildProgram(program, 1, byref(device), None, None, None) == 0
        self.kernel = c_void_p(self.api.clCreateKernel(program, b"wait", byref(error)))
        self.number = c_uint32(0)
        self.flag = c_void_p(self.api.clCreateBuffer(context, c_uint64(1 | 1 << 5), c_size_t(4), byref(self.number), byref(error)))  # a copy of it
        self.queue, self.other = (c_void_p(self.api.clCreateCommandQueue(context, device, c_uint64(0), byref(error))) for _ in range(2))
        assert self.api.clSetKernelArg(self.kernel, 0, c_size_t(8), byref(self.flag)) == 0

    def launch(self):
        assert self.api.clEnqueueNDRangeKernel(self.queue, self.kernel, 1, None, byref(c_size_t(32)), byref(c_size_t(32)), 0, None, None) == 0

    def write(self, is_blocking):
        self.number.value = 1
        assert self.api.clEnqueueWriteBuffer(self.other, self.flag, is_blocking, c_size_t(0), c_size_t(4), byref(self.number), 0, None, None) == 0


def opencl_waits():
    opencl = OpenCl()
    opencl.launch()
    opencl.api.clFinish(opencl.queue)


def opencl_writes_later():
    opencl = OpenCl()
    opencl.launch()
    time.sleep(LATER)
    opencl.write(0)
    assert opencl.api.clFinish(opencl.queue) == 0


EXPECTED = {cuda_waits: True, cuda_ends: True, cuda_writes_later: False, cuda_other_thread: False, cuda_host_memory: False, opencl_waits: True,
            opencl_writes_later: False}


def check(hexec, case, is_due):
    code, found, wrong = app_cases.find("sync", hexec, case)
    if wrong:
        return wrong
    kinds = [one["kind"] for one in found]
    is_good = kinds == (["sync.no_progress"] if is_due else []) and code == int(is_due)
    return "" if is_good else f"{case.__name__}: exit code {code}, found {found}"


if __name__ == "__main__":
    sys.exit(app_cases.main(EXPECTED, check))
