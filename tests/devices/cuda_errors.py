#!/usr/bin/env python3
"""usage: cuda_errors.py LIBCUDA.so.1

A table of errors: what functions of the driver API return before cuInit, without a context, and for what is wrong, as its
documentation has it. All rows are tried, and those that differ are listed."""
import ctypes
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p

cuda = ctypes.CDLL(sys.argv[1])
INVALID_VALUE, NOT_INITIALIZED, INVALID_DEVICE, INVALID_IMAGE, INVALID_CONTEXT, INVALID_PTX, UNSUPPORTED_LIMIT = 1, 3, 101, 200, 201, 218, 215
FILE_NOT_FOUND, INVALID_HANDLE, NOT_FOUND, NOT_READY, PEER_NOT_ENABLED = 301, 400, 500, 600, 705
ALREADY_REGISTERED, NOT_REGISTERED = 712, 713
PTX = b""".version 7.5
.target sm_75
.address_size 64
.visible .entry one(.param .u64 out) { .reg .u64 %a; .reg .u32 %r; ld.param.u64 %a, [out]; mov.u32 %r, 1; st.global.u32 [%a], %r; ret; }
\0"""
text, number, size, word, other = ctypes.create_string_buffer(64), c_int(), c_size_t(), c_uint64(), c_void_p()
rows, wrong = 0, []


def row(want, name, *arguments):
    global rows
    rows += 1
    got = getattr(cuda, name)(*arguments)
    if got != want:
        wrong.append(f"{name}{arguments}: {got}, and {want} is due")


def out(kind, name, *arguments):
    value = kind()
    row(0, name, byref(value), *arguments)
    return value


def need_context():
    """(name, arguments) of calls that need a context that is current."""
    return [("cuMemAlloc_v2", byref(word), c_size_t(16)), ("cuMemFree_v2", c_uint64(4096)), ("cuMemGetInfo_v2", byref(size), byref(size)),
            ("cuMemAllocPitch_v2", byref(word), byref(size), c_size_t(16), c_size_t(2), 4), ("cuMemHostAlloc", byref(other), c_size_t(16), 0),
            ("cuMemcpyHtoD_v2", c_uint64(4096), text, c_size_t(4)), ("cuMemcpyDtoH_v2", text, c_uint64(4096), c_size_t(4)),
            ("cuMemcpyDtoD_v2", c_uint64(4096), c_uint64(8192), c_size_t(4)), ("cuMemsetD8_v2", c_uint64(4096), 0, c_size_t(4)),
            ("cuMemsetD32_v2", c_uint64(4096), 0, c_size_t(4)), ("cuModuleLoadData", byref(other), PTX), ("cuModuleLoad", byref(other), b"/nowhere"),
            ("cuStreamCreate", byref(other), 0), ("cuStreamSynchronize", None), ("cuStreamQuery", None), ("cuEventCreate", byref(other), 0),
            ("cuCtxSynchronize",), ("cuCtxGetDevice", byref(number)), ("cuLinkCreate_v2", 0, None, None, byref(other)),
            ("cuArrayCreate_v2", byref(other), text), ("cuArray3DCreate_v2", byref(other), text), ("cuMipmappedArrayCreate", byref(other), text, 1),
            ("cuTexObjectCreate", byref(word), text, text, None), ("cuSurfObjectCreate", byref(word), text),
            ("cuGraphAddMemAllocNode", byref(other), None, None, c_size_t(0), text), ("cuGraphAddMemFreeNode", byref(other), None, None, c_size_t(0), word),
            ("cuProfilerStart",), ("cuProfilerStop",)]


def before_start():
    for name, *arguments in need_context() + [
            ("cuDeviceGet", byref(number), 0), ("cuDeviceGetCount", byref(number)), ("cuDeviceGetName", text, 64, 0),
            ("cuDeviceTotalMem_v2", byref(size), 0), ("cuDeviceGetAttribute", byref(number), 1, 0), ("cuCtxCreate_v2", byref(other), 0, 0),
            ("cuDevicePrimaryCtxRetain", byref(other), 0), ("cuCtxSetCurrent", None), ("cuCtxPushCurrent_v2", None), ("cuCtxGetCurrent", byref(other))]:
        row(NOT_INITIALIZED, name, *arguments)
    row(INVALID_VALUE, "cuInit", 1)
    row(INVALID_VALUE, "cuDriverGetVersion", None)
    row(0, "cuInit", 0)


def without_context():
    for name, *arguments in need_context():
        row(INVALID_CONTEXT, name, *arguments)
    row(INVALID_CONTEXT, "cuCtxPopCurrent_v2", byref(other))
    row(INVALID_CONTEXT, "cuCtxGetFlags", byref(c_uint()))
    row(INVALID_CONTEXT, "cuCtxDestroy_v2", None)


def devices():
    for bad in (-1, 1000):
        row(INVALID_DEVICE, "cuDeviceGet", byref(number), bad)
        row(INVALID_DEVICE, "cuDeviceGetName", text, 64, bad)
        row(INVALID_DEVICE, "cuDeviceTotalMem_v2", byref(size), bad)
        row(INVALID_DEVICE, "cuDeviceGetAttribute", byref(number), 1, bad)
        row(INVALID_DEVICE, "cuDevicePrimaryCtxRetain", byref(other), bad)
        row(INVALID_DEVICE, "cuDevicePrimaryCtxReset_v2", bad)
        row(INVALID_DEVICE, "cuCtxCreate_v2", byref(other), 0, bad)
        row(INVALID_DEVICE, "cuDeviceCanAccessPeer", byref(number), 0, bad)
    row(INVALID_CONTEXT, "cuDevicePrimaryCtxRelease_v2", 0)
    for name, *arguments in (("cuDeviceGet", None, 0), ("cuDeviceGetCount", None), ("cuDeviceGetName", None, 64, 0), ("cuDeviceGetName", text, 0, 0),
                             ("cuDeviceTotalMem_v2", None, 0), ("cuDeviceGetAttribute", None, 1, 0), ("cuDeviceGetAttribute", byref(number), 100000, 0),
                             ("cuDeviceGetAttribute", byref(number), 0, 0), ("cuDevicePrimaryCtxRetain", None, 0), ("cuCtxCreate_v2", None, 0, 0),
                             ("cuGetErrorName", 12345, byref(other)), ("cuGetErrorString", 12345, byref(other)), ("cuCtxGetCurrent", None),
                             ("cuGetProcAddress_v2", None, byref(other), 12000, c_uint64(0), None)):
        row(INVALID_VALUE, name, *arguments)
    row(NOT_FOUND, "cuGetProcAddress", b"cuNoSuchFunction", byref(other), 12000, c_uint64(0))


def contexts():
    class Parameters(ctypes.Structure):
        _fields_ = [("shares", c_void_p), ("count", c_int), ("graphics", c_void_p)]
    for want, parameters in ((0, None), (0, Parameters()), (801, Parameters(None, 0, 1)), (801, Parameters(1, 1))):
        row(want, "cuCtxCreate_v4", byref(other), byref(parameters) if parameters else None, 0, 0)
        if want == 0:
            row(0, "cuCtxDestroy_v2", other)
    row(INVALID_VALUE, "cuCtxGetLimit", None, 0)
    row(UNSUPPORTED_LIMIT, "cuCtxGetLimit", byref(size), 1000)
    row(UNSUPPORTED_LIMIT, "cuCtxSetLimit", 1000, c_size_t(1))
    row(INVALID_VALUE, "cuCtxGetFlags", None)
    row(INVALID_CONTEXT, "cuCtxPushCurrent_v2", None)


def memory():
    address = out(c_uint64, "cuMemAlloc_v2", c_size_t(256))
    near, far = c_uint64(address.value + 4), c_uint64(address.value + 254)
    for name, *arguments in (
            ("cuMemAlloc_v2", byref(word), c_size_t(0)), ("cuMemAlloc_v2", None, c_size_t(16)), ("cuMemFree_v2", near), ("cuMemFree_v2", c_uint64(64)),
            ("cuMemAllocPitch_v2", byref(word), byref(size), c_size_t(16), c_size_t(2), 3),
            ("cuMemAllocPitch_v2", byref(word), byref(size), c_size_t(0), c_size_t(2), 4), ("cuMemGetInfo_v2", None, byref(size)),
            ("cuMemGetInfo_v2", byref(size), None), ("cuMemHostAlloc", None, c_size_t(16), 0), ("cuMemHostAlloc", byref(other), c_size_t(16), 64),
            ("cuMemFreeHost", text), ("cuMemHostGetDevicePointer_v2", byref(word), text, 0), ("cuMemHostGetFlags", byref(c_uint()), text),
            ("cuMemcpyHtoD_v2", far, text, c_size_t(4)), ("cuMemcpyHtoD_v2", address, None, c_size_t(4)), ("cuMemcpyDtoH_v2", None, address, c_size_t(4)),
            ("cuMemcpyDtoH_v2", text, far, c_size_t(4)), ("cuMemcpyDtoD_v2", address, far, c_size_t(4)), ("cuMemcpyDtoD_v2", far, address, c_size_t(4)),
            ("cuMemcpyDtoH_v2", text, c_uint64(64), c_size_t(4)), ("cuMemsetD8_v2", far, 0, c_size_t(4)), ("cuMemsetD32_v2", far, 0, c_size_t(1)),
            ("cuMemsetD16_v2", c_uint64(address.value + 1), 0, c_size_t(1)), ("cuMemsetD32_v2", c_uint64(address.value + 2), 0, c_size_t(1)),
            ("cuPointerGetAttribute", byref(number), 2, c_uint64(64)), ("cuPointerGetAttribute", None, 2, address),
            ("cuMemHostRegister_v2", None, c_size_t(16), 0), ("cuMemHostRegister_v2", text, c_size_t(0), 0),
            ("cuMemcpy2D_v2", None), ("cuMemcpy3D_v2", None), ("cuMemFreeAsync", near, None)):
        row(INVALID_VALUE, name, *arguments)
    row(0, "cuMemHostRegister_v2", text, c_size_t(64), 0)
    row(ALREADY_REGISTERED, "cuMemHostRegister_v2", text, c_size_t(64), 0)
    row(0, "cuMemHostUnregister", text)
    row(NOT_REGISTERED, "cuMemHostUnregister", text)
    row(NOT_FOUND, "cuMemGetAddressRange_v2", byref(word), byref(size), c_uint64(64))
    row(0, "cuMemFree_v2", address)
    row(INVALID_VALUE, "cuMemFree_v2", address)
    row(0, "cuMemFree_v2", c_uint64(0))


def modules():
    row(INVALID_VALUE, "cuModuleLoadData", None, PTX)
    row(INVALID_VALUE, "cuModuleLoadData", byref(other), None)
    row(INVALID_VALUE, "cuModuleLoadDataEx", byref(other), PTX, 1, None, None)
    row(INVALID_PTX, "cuModuleLoadData", byref(other), PTX.replace(b"[out]", b"[none]"))
    row(INVALID_IMAGE, "cuModuleLoadData", byref(other), b"\1\2\3\4 no image\0")
    row(FILE_NOT_FOUND, "cuModuleLoad", byref(other), b"/no/such/file")
    row(INVALID_HANDLE, "cuModuleUnload", None)
    module = out(c_void_p, "cuModuleLoadData", PTX)
    row(NOT_FOUND, "cuModuleGetFunction", byref(other), module, b"two")
    row(NOT_FOUND, "cuModuleGetGlobal_v2", byref(word), byref(size), module, b"two")
    row(INVALID_VALUE, "cuModuleGetFunction", None, module, b"one")
    row(INVALID_VALUE, "cuModuleGetFunction", byref(other), module, None)
    function, address = out(c_void_p, "cuModuleGetFunction", module, b"one"), out(c_uint64, "cuMemAlloc_v2", c_size_t(16))
    values = (c_void_p * 1)(ctypes.addressof(address))
    for shape in ((0, 1, 1, 1, 1, 1), (1, 1, 1, 0, 1, 1), (1, 1, 1, 2048, 1, 1), (1, 1, 1, 1, 1, 128), (1, 1, 1, 64, 64, 1), (1, 1 << 20, 1, 1, 1, 1)):
        row(INVALID_VALUE, "cuLaunchKernel", function, *shape, 0, None, values, None)
    row(INVALID_VALUE, "cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 1 << 24, None, values, None)
    row(INVALID_VALUE, "cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, None, None)
    row(INVALID_HANDLE, "cuLaunchKernel", None, 1, 1, 1, 1, 1, 1, 0, None, values, None)
    row(INVALID_VALUE, "cuFuncGetAttribute", byref(number), 1000, function)
    row(INVALID_VALUE, "cuFuncGetAttribute", None, 0, function)
    row(INVALID_HANDLE, "cuFuncGetAttribute", byref(number), 0, None)
    row(0, "cuMemFree_v2", address)
    row(0, "cuModuleUnload", module)


def streams():
    stream, event = out(c_void_p, "cuStreamCreate", 0), out(c_void_p, "cuEventCreate", 2)
    timed = out(c_void_p, "cuEventCreate", 0)
    row(INVALID_VALUE, "cuStreamCreate", None, 0)
    row(INVALID_VALUE, "cuStreamCreate", byref(other), 8)
    row(INVALID_VALUE, "cuEventCreate", None, 0)
    row(INVALID_VALUE, "cuEventCreate", byref(other), 1 << 10)
    for name in ("cuStreamDestroy_v2", "cuEventDestroy_v2", "cuEventQuery", "cuEventSynchronize"):
        row(INVALID_HANDLE, name, None)
    row(INVALID_HANDLE, "cuEventRecord", None, stream)
    row(INVALID_HANDLE, "cuStreamWaitEvent", stream, None, 0)
    row(INVALID_VALUE, "cuStreamWaitEvent", stream, event, 8)
    row(INVALID_VALUE, "cuStreamAddCallback", stream, None, None, 0)
    row(INVALID_VALUE, "cuLaunchHostFunc", stream, None, None)
    row(INVALID_HANDLE, "cuEventElapsedTime", byref(ctypes.c_float()), timed, timed)
    row(0, "cuEventRecord", event, stream)
    row(0, "cuEventSynchronize", event)
    row(INVALID_HANDLE, "cuEventElapsedTime", byref(ctypes.c_float()), event, event)
    row(INVALID_VALUE, "cuEventElapsedTime", None, timed, timed)
    row(INVALID_VALUE, "cuGraphCreate", None, 0)
    row(INVALID_VALUE, "cuGraphCreate", byref(other), 1)
    row(INVALID_VALUE, "cuGraphDestroy", None)
    row(INVALID_VALUE, "cuGraphLaunch", None, stream)
    for name, thing in (("cuStreamDestroy_v2", stream), ("cuEventDestroy_v2", event), ("cuEventDestroy_v2", timed)):
        row(0, name, thing)


before_start()
without_context()
devices()
context = out(c_void_p, "cuCtxCreate_v2", 0, 0)
contexts()
memory()
modules()
streams()
row(0, "cuCtxDestroy_v2", context)
print("\n".join(wrong))
print(f"{rows} rows, {len(wrong)} differ")
if not wrong:
    print("cuda_errors: ok")
sys.exit(bool(wrong))
