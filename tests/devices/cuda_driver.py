#!/usr/bin/env python3
"""usage: cuda_driver.py LIBCUDA.so.1

A Python program that uses the CUDA driver API by ctypes, as frameworks without a toolkit do."""
import ctypes
import os
import subprocess
import sys
import tempfile

LIBRARY = sys.argv[1]
PTX = b""".version 7.5
.target sm_75
.address_size 64
.visible .global .align 4 .u32 bias = 5;
.visible .entry scale(.param .u64 out, .param .u32 factor, .param .align 8 .b8 pair[16], .param .u8 small) {
    .reg .u64 %a<6>; .reg .u32 %r<9>; .reg .u16 %h;
    ld.param.u64 %a0, [out]; ld.param.u32 %r0, [factor]; ld.param.u64 %a1, [pair+8]; ld.param.u8 %h, [small];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.global.u32 %r4, [bias]; mad.lo.u32 %r4, %r1, %r0, %r4;
    cvt.u32.u64 %r5, %a1; add.u32 %r4, %r4, %r5; cvt.u32.u16 %r6, %h; add.u32 %r4, %r4, %r6;
    mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a0, %a2; st.global.u32 [%a3], %r4; ret;
}
\0"""
cuda = ctypes.CDLL(LIBRARY)


class Pair(ctypes.Structure):
    _fields_ = [("first", ctypes.c_int32), ("second", ctypes.c_int64)]


class Arguments(ctypes.Structure):
    _fields_ = [("out", ctypes.c_uint64), ("factor", ctypes.c_uint32), ("pair", Pair), ("small", ctypes.c_uint8)]


def call(name, *arguments, want=0):
    got = getattr(cuda, name)(*arguments)
    assert got == want, f"{name} returns {got}, not {want}"


def out(kind, name, *arguments):
    value = kind()
    call(name, ctypes.byref(value), *arguments)
    return value


def start():
    call("cuCtxSynchronize", want=3)
    call("cuInit", 0)
    assert out(ctypes.c_int, "cuDeviceGetCount").value == 1
    device = out(ctypes.c_int, "cuDeviceGet", 0)
    call("cuDeviceGet", ctypes.byref(ctypes.c_int()), 1, want=101)
    name = ctypes.create_string_buffer(64)
    call("cuDeviceGetName", name, 64, device)
    assert name.value == b"hexec virtual GPU"
    assert out(ctypes.c_int, "cuDeviceGetAttribute", 10, device).value == 32
    call("cuMemAlloc_v2", ctypes.byref(ctypes.c_uint64()), 64, want=201)
    context = out(ctypes.c_void_p, "cuDevicePrimaryCtxRetain", device)
    call("cuCtxSetCurrent", context)
    assert out(ctypes.c_void_p, "cuCtxGetCurrent").value == context.value


def launch(function, address, factor, pair, small, by_block):
    values = Arguments(address, factor, pair, small)
    shape = (4, 1, 1, 64, 1, 1, 0, None)
    if by_block:
        size = ctypes.c_size_t(ctypes.sizeof(values))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(values), 2, ctypes.addressof(size), 0)
        call("cuLaunchKernel", function, *shape, None, extra)
    else:
        places = [ctypes.addressof(values) + getattr(Arguments, name).offset for name, _ in Arguments._fields_]
        call("cuLaunchKernel", function, *shape, (ctypes.c_void_p * 4)(*places), None)


def test_launches():
    module = out(ctypes.c_void_p, "cuModuleLoadData", PTX)
    function = out(ctypes.c_void_p, "cuModuleGetFunction", module, b"scale")
    call("cuModuleGetFunction", ctypes.byref(ctypes.c_void_p()), module, b"other", want=500)
    address, bytes_of_bias = out(ctypes.c_uint64, "cuMemAlloc_v2", 1024), ctypes.c_size_t()
    bias = ctypes.c_uint64()
    call("cuModuleGetGlobal_v2", ctypes.byref(bias), ctypes.byref(bytes_of_bias), module, b"bias")
    assert bytes_of_bias.value == 4
    host = (ctypes.c_uint32 * 256)()
    for by_block, add in ((False, 5), (True, 700)):
        call("cuMemcpyHtoD_v2", bias, ctypes.byref(ctypes.c_uint32(add)), 4)
        call("cuMemsetD32_v2", address, 0xFFFFFFFF, 256)
        launch(function, address.value, 3, Pair(1, 1000), 200, by_block)
        call("cuMemcpyDtoH_v2", host, address, 1024)
        assert list(host) == [3 * i + 1200 + add for i in range(256)], list(host)[:4]
    call("cuMemcpyDtoH_v2", host, address, 1028, want=1)
    call("cuMemcpyDtoH_v2", host, ctypes.c_uint64(64), 4, want=1)
    call("cuMemFree_v2", ctypes.c_uint64(address.value + 4), want=1)
    call("cuMemFree_v2", address)
    call("cuModuleUnload", module)


def test_log():
    log = ctypes.create_string_buffer(400)
    options = (ctypes.c_int * 2)(5, 6)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 400)
    bad = PTX.replace(b"%a0, [out]", b"%a0, [nowhere]")
    call("cuModuleLoadDataEx", ctypes.byref(ctypes.c_void_p()), bad, 2, options, values, want=218)
    assert b"nowhere" in log.value and b"module.ptx:" in log.value, log.value
    assert values[1] == len(log.value)


HEAD = b".version 7.5\n.target sm_75\n.address_size 64\n"
USES = HEAD + b""".extern .func (.param .b32 out) twice (.param .b32 in);
.extern .global .align 4 .u32 bias;
.visible .entry linked(.param .u64 to) {
    .reg .b32 %r<3>; .reg .b64 %a<2>;
    ld.param.u64 %a1, [to]; ld.global.u32 %r1, [bias];
    { .param .b32 in; .param .b32 out; st.param.b32 [in], %r1; call (out), twice, (in); ld.param.b32 %r2, [out]; }
    st.global.u32 [%a1], %r2; ret;
}"""
GIVES = HEAD + b""".visible .global .align 4 .u32 bias = 21;
.visible .func (.param .b32 out) twice (.param .b32 in) {
    .reg .b32 %r<3>; ld.param.b32 %r1, [in]; add.u32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret;
}
"""


def test_links():
    log = ctypes.create_string_buffer(400)
    options = (ctypes.c_int * 2)(5, 6)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 400)
    state = ctypes.c_void_p()
    call("cuLinkCreate_v2", 2, options, values, ctypes.byref(state))
    image, size = ctypes.c_void_p(), ctypes.c_size_t()
    call("cuLinkComplete", state, ctypes.byref(image), ctypes.byref(size), want=200)  # of nothing
    bad = PTX.replace(b"%a0, [out]", b"%a0, [nowhere]")
    call("cuLinkAddData_v2", state, 1, bad, ctypes.c_size_t(len(bad)), b"bad", 0, None, None)
    call("cuLinkComplete", state, ctypes.byref(image), ctypes.byref(size), want=218)
    assert b"nowhere" in log.value, log.value
    call("cuLinkDestroy", state)
    without_function = HEAD + GIVES[GIVES.index(b".visible .global"):GIVES.index(b".visible .func")]
    without_variable = HEAD + GIVES[GIVES.index(b".visible .func"):]
    for given, name in ((None, b"bias"), (without_function, b"twice"), (without_variable, b"bias")):
        values[1] = 400
        call("cuLinkCreate_v2", 2, options, values, ctypes.byref(state))
        call("cuLinkAddData_v2", state, 1, USES, ctypes.c_size_t(len(USES)), b"uses", 0, None, None)
        if given:
            call("cuLinkAddData_v2", state, 1, given, ctypes.c_size_t(len(given)), b"gives", 0, None, None)
        call("cuLinkComplete", state, ctypes.byref(image), ctypes.byref(size), want=999)
        assert b"undefined" in log.value and name in log.value, log.value
        call("cuLinkDestroy", state)
    values[1] = 400
    call("cuModuleLoadDataEx", ctypes.byref(ctypes.c_void_p()), USES + b"\0", 2, options, values, want=218)
    assert b"undefined" in log.value, log.value
    call("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
    call("cuLinkAddData_v2", state, 1, USES, ctypes.c_size_t(len(USES)), b"uses", 0, None, None)
    call("cuLinkAddData_v2", state, 4, b"!<arch>", ctypes.c_size_t(7), b"library", 0, None, None, want=209)
    call("cuLinkAddFile_v2", state, 1, b"/no/such/file", 0, None, None, want=301)
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(GIVES)
        file.flush()
        call("cuLinkAddFile_v2", state, 1, file.name.encode(), 0, None, None)
    call("cuLinkComplete", state, ctypes.byref(image), ctypes.byref(size))
    module = out(ctypes.c_void_p, "cuModuleLoadData", image)
    call("cuLinkDestroy", state)
    function = out(ctypes.c_void_p, "cuModuleGetFunction", module, b"linked")
    address = out(ctypes.c_uint64, "cuMemAlloc_v2", ctypes.c_size_t(4))
    values = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, values, None)
    got = ctypes.c_uint32()
    call("cuMemcpyDtoH_v2", ctypes.byref(got), address, ctypes.c_size_t(4))
    assert got.value == 42, got.value
    call("cuMemFree_v2", address)
    call("cuModuleUnload", module)


def test_events():
    stream, calls = out(ctypes.c_void_p, "cuStreamCreate", 0), []
    first, last = out(ctypes.c_void_p, "cuEventCreate", 0), out(ctypes.c_void_p, "cuEventCreate", 0)
    call("cuEventElapsedTime", ctypes.byref(ctypes.c_float()), first, last, want=400)
    call("cuEventRecord", first, stream)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda user: calls.append(user))
    call("cuLaunchHostFunc", stream, function, 77)
    call("cuEventRecord", last, stream)
    call("cuStreamWaitEvent", stream, last, 0)
    call("cuStreamSynchronize", stream)
    assert calls == [77] and out(ctypes.c_float, "cuEventElapsedTime", first, last).value >= 0
    for name, thing in (("cuEventDestroy_v2", first), ("cuEventDestroy_v2", last), ("cuStreamDestroy_v2", stream)):
        call(name, thing)


def test_names():
    text, function = ctypes.c_char_p(), ctypes.c_void_p()
    call("cuGetErrorName", 700, ctypes.byref(text))
    assert text.value == b"CUDA_ERROR_ILLEGAL_ADDRESS"
    call("cuGetProcAddress", b"cuMemAlloc", ctypes.byref(function), 12000, ctypes.c_uint64(0))
    assert function.value == ctypes.cast(cuda.cuMemAlloc_v2, ctypes.c_void_p).value
    call("cuGetProcAddress", b"cuNothing", ctypes.byref(function), 12000, ctypes.c_uint64(0), want=500)


def test_fault():
    """After it all work fails, as on a GPU, until the context is made anew."""
    module = out(ctypes.c_void_p, "cuModuleLoadData", PTX)
    function = out(ctypes.c_void_p, "cuModuleGetFunction", module, b"scale")
    values = Arguments(64, 1, Pair(0, 0), 0)
    places = [ctypes.addressof(values) + getattr(Arguments, name).offset for name, _ in Arguments._fields_]
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, (ctypes.c_void_p * 4)(*places), None)
    call("cuCtxSynchronize", want=700)
    call("cuMemsetD8_v2", ctypes.c_uint64(64), 0, 1, want=700)
    call("cuDevicePrimaryCtxReset_v2", 0)
    call("cuCtxSynchronize")


def check_unified():
    """Host pointers are addresses of the device."""
    ended = subprocess.run([sys.executable, __file__, LIBRARY, "unified"], capture_output=True, text=True, check=False,
                           env={**os.environ, "HEXEC_UNIFIED": "1", "HEXEC_APP_REPORT": "json", "HEXEC_APP_RECORD": ""})
    assert ended.returncode == 0 and '"name":"scale","launches":1' in ended.stderr, ended.stderr


start()
if len(sys.argv) > 2:
    scale = out(ctypes.c_void_p, "cuModuleGetFunction", out(ctypes.c_void_p, "cuModuleLoadData", PTX), b"scale")
    own = (ctypes.c_uint32 * 256)()
    launch(scale, ctypes.addressof(own), 1, Pair(0, 0), 0, False)
    call("cuCtxSynchronize")
    assert list(own) == [i + 5 for i in range(256)]
else:
    for test in (test_launches, test_log, test_links, test_events, test_names, test_fault, check_unified):
        test()
    print("cuda_driver: ok")
