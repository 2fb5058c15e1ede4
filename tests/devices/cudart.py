#!/usr/bin/env python3
"""usage: cudart.py LIBCUDART.so.VERSION

Programs as nvcc builds them: how they register, launch and name variables, memory in lines, errors, streams."""
import ctypes
import threading
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint32, c_void_p

from cudart_calls import (ADD, Config, DEFAULT, Dim3, Extent, HEAD, ILLEGAL_ADDRESS, INVALID_CONFIGURATION, INVALID_DIRECTION, INVALID_FUNCTION,
                          INVALID_HANDLE, INVALID_SYMBOL, INVALID_VALUE, NO_IMAGE, NOT_READY, ON_DEVICE, Pitched, Program, TO_DEVICE, TO_HOST, call, cudart,
                          kernel, last, numbers, out, put, read, values)

PTX = HEAD + b"""
.visible .const .align 4 .u32 factor = 3;
.visible .global .align 4 .b8 table[128];
.visible .global .attribute(.managed) .align 4 .u32 total = 5;
""" + ADD + kernel("scale", "", "ld.const.u32 %r0, [factor]; ld.global.u32 %r1, [%a0]; mul.lo.u32 %r1, %r1, %r0; st.global.u32 [%a0], %r1;") + kernel(
    "keep", "", "mov.u64 %a2, table; add.u64 %a2, %a2, %a1; ld.global.u32 %r1, [%a0]; st.global.u32 [%a2], %r1;") + kernel(
        "count", "", "ld.param.u64 %a2, [out]; atom.global.add.u32 %r0, [%a2], 1; atom.global.add.u32 %r0, [total], 1;") + b"""
.visible .entry shape(.param .u64 out) {
    .reg .u64 %a; .reg .u32 %r<6>; .reg .pred %p;
    ld.param.u64 %a, [out]; mov.u32 %r0, %ntid.x; mov.u32 %r1, %ntid.y; mov.u32 %r2, %ntid.z; st.global.v2.u32 [%a], {%r0, %r1};
    mov.u32 %r0, %nctaid.x; mov.u32 %r1, %nctaid.y; mov.u32 %r3, %nctaid.z; st.global.v4.u32 [%a + 16], {%r2, %r0, %r1, %r3};
    mov.u32 %r4, %dynamic_smem_size; st.global.u32 [%a + 8], %r4; ret;
}
"""


def program():
    return Program(PTX, kernels=("add", "scale", "keep", "count", "shape", "nowhere"), variables=(("factor", 4), ("table", 128), ("nothing", 4)),
                   managed=(("total", 4), ))


def test_launches(used):
    """What <<<...>>> says is there for the stub, which takes it and launches; the innermost first."""
    memory = out(c_void_p, "cudaMalloc", 128)
    put(memory, *[0] * 32)
    assert cudart["__cudaPushCallConfiguration"](Dim3(1), Dim3(2, 3, 4), c_size_t(64), c_void_p(0)) == 0
    assert cudart["__cudaPushCallConfiguration"](Dim3(5, 6, 7), Dim3(8), c_size_t(9), c_void_p(2)) == 0
    grid, block, shared, stream = Dim3(), Dim3(), c_size_t(), c_void_p()
    taken = byref(grid), byref(block), byref(shared), byref(stream)
    call("__cudaPopCallConfiguration", *taken)
    assert (grid.x, grid.y, grid.z, block.x, shared.value, stream.value) == (5, 6, 7, 8, 9, 2)
    call("__cudaPopCallConfiguration", *taken)
    assert (grid.x, block.x, block.y, block.z, shared.value, stream.value) == (1, 2, 3, 4, 64, None)
    call("__cudaPopCallConfiguration", *taken, want=52)
    last(52)
    call("cudaLaunchKernel", used["shape"], grid, block, values(memory), shared, stream)
    assert read(memory, 8) == [2, 3, 64, 0, 4, 1, 1, 1]
    handle = out(c_void_p, "__cudaGetKernel", used["shape"])
    call("__cudaLaunchKernel", handle, Dim3(3, 2, 2), Dim3(1, 2, 1), values(memory), 0, None)
    assert read(memory, 8) == [1, 2, 0, 0, 1, 3, 2, 2]
    config = Config(Dim3(1, 2, 1), Dim3(2, 1, 2), 128, None, None, 0)
    call("cudaLaunchKernelExC", byref(config), used["shape"], values(memory))
    assert read(memory, 8) == [2, 1, 128, 0, 2, 1, 2, 1]
    for name in ("cudaGetKernel", "cudaGetFuncBySymbol"):
        handle = out(c_void_p, name, used["shape"])
        call("cudaLaunchKernel", handle, Dim3(4), Dim3(1), values(memory), 0, None)
        assert read(memory, 8) == [1, 1, 0, 0, 1, 4, 1, 1]
    call("cudaLaunchCooperativeKernel", used["shape"], Dim3(2), Dim3(7), values(memory), 0, None)
    assert read(memory, 8) == [7, 1, 0, 0, 1, 2, 1, 1]
    call("cudaFree", memory)


def test_refused_launches(used):
    """Shapes that no device runs, and symbols that stand for no kernel; nothing of it stays."""
    memory = out(c_void_p, "cudaMalloc", 128)
    for grid, block in ((Dim3(0), Dim3(1)), (Dim3(1), Dim3(0)), (Dim3(1), Dim3(1025)), (Dim3(1), Dim3(32, 64)), (Dim3(1), Dim3(1, 1, 65)),
                        (Dim3(1, 65536), Dim3(1)), (Dim3(1, 1, 65536), Dim3(1)), (Dim3(1 << 31), Dim3(1))):
        call("cudaLaunchKernel", used["shape"], grid, block, values(memory), 0, None, want=INVALID_CONFIGURATION)
        last(INVALID_CONFIGURATION)
    for shared in (48 * 1024 + 1, 1 << 20, 1 << 32):
        call("cudaLaunchKernel", used["shape"], Dim3(1), Dim3(1), values(memory), shared, None, want=INVALID_VALUE)
        last(INVALID_VALUE)
    for symbol in (used["factor"], used["nowhere"], memory, None):
        call("cudaLaunchKernel", symbol, Dim3(1), Dim3(1), values(memory), 0, None, want=INVALID_FUNCTION)
        last(INVALID_FUNCTION)
    call("cudaLaunchKernelExC", None, used["shape"], values(memory), want=INVALID_VALUE)
    call("cudaGetFuncBySymbol", byref(c_void_p()), used["factor"], want=INVALID_FUNCTION)
    last(INVALID_FUNCTION)
    call("cudaDeviceSynchronize")
    call("cudaFree", memory)


def test_symbols(used):
    """Variables: where they are, and copies of parts of them."""
    memory, host = out(c_void_p, "cudaMalloc", 128), numbers(*range(32))
    put(memory, *range(32))
    used.launch("scale", memory)
    assert read(memory, 4) == [0, 3, 6, 9]
    call("cudaMemcpyToSymbol", used["factor"], numbers(5), 4, 0, TO_DEVICE)
    used.launch("scale", memory)
    used.launch("keep", memory)
    assert read(memory, 4) == [0, 15, 30, 45]
    call("cudaMemcpyFromSymbol", host, used["table"], 8, 120, TO_HOST)
    assert list(host[:3]) == [450, 465, 2]
    assert out(c_size_t, "cudaGetSymbolSize", used["table"]).value == 128 and out(c_size_t, "cudaGetSymbolSize", used["factor"]).value == 4
    place = out(c_void_p, "cudaGetSymbolAddress", used["table"])
    assert read(place, 2) == [0, 15]
    call("cudaMemcpyToSymbol", used["table"], c_void_p(memory.value + 16), 4, 4, ON_DEVICE)
    call("cudaMemcpyToSymbolAsync", used["table"], numbers(77), 4, 8, DEFAULT, None)
    call("cudaMemcpyFromSymbolAsync", memory, used["table"], 16, 0, ON_DEVICE, None)
    assert read(memory, 4) == [0, 60, 77, 45]
    for offset, count, kind, want in ((124, 8, TO_DEVICE, INVALID_VALUE), (1 << 63, 4, TO_DEVICE, INVALID_VALUE), (0, 4, TO_HOST, INVALID_DIRECTION),
                                      (0, 4, 0, INVALID_DIRECTION)):
        call("cudaMemcpyToSymbol", used["table"], host, c_size_t(count), c_size_t(offset), kind, want=want)
        last(want)
    call("cudaMemcpyFromSymbol", host, used["table"], 4, 0, TO_DEVICE, want=INVALID_DIRECTION)
    for symbol in (used["nothing"], used["add"], memory, None):
        call("cudaMemcpyToSymbol", symbol, host, 4, 0, TO_DEVICE, want=INVALID_SYMBOL)
        call("cudaGetSymbolAddress", byref(c_void_p()), symbol, want=INVALID_SYMBOL)
        call("cudaGetSymbolSize", byref(c_size_t()), symbol, want=INVALID_SYMBOL)
        last(INVALID_SYMBOL)
    call("cudaFree", memory)


def test_managed(used):
    """The host and kernels reach managed variables and memory by the same addresses, as kernels reach the host's that is for them."""
    total = used.managed("total")
    variable = c_uint32.from_address(total.value)
    assert variable.value == 5
    memory = out(c_void_p, "cudaMallocManaged", 128, 1)
    counted = (c_uint32 * 32).from_address(memory.value)
    counted[0], variable.value = 100, 10
    used.launch("count", memory)
    call("cudaDeviceSynchronize")
    assert counted[0] == 132 and variable.value == 42
    assert out(c_void_p, "cudaGetSymbolAddress", total).value == total.value
    call("cudaMemcpyToSymbol", total, numbers(7), 4, 0, TO_DEVICE)
    call("cudaDeviceSynchronize")
    assert variable.value == 7
    call("cudaFree", memory)
    call("cudaMallocManaged", byref(memory), 0, 1, want=INVALID_VALUE)
    call("cudaMallocManaged", byref(memory), 4, 0, want=INVALID_VALUE)


def test_host(used):
    memory = out(c_void_p, "cudaHostAlloc", 128, 2)
    host = (c_uint32 * 32).from_address(memory.value)
    host[:] = range(32)
    used.launch("add", out(c_void_p, "cudaHostGetDevicePointer", memory, 0), c_uint32(9))
    call("cudaDeviceSynchronize")
    assert list(host) == list(range(9, 41))
    assert out(c_uint, "cudaHostGetFlags", memory).value & 2
    call("cudaFreeHost", memory)
    memory = out(c_void_p, "cudaMallocHost", 64)
    call("cudaFreeHost", memory)
    call("cudaFreeHost", None)
    room = ctypes.create_string_buffer(8192)
    page = c_void_p((ctypes.addressof(room) + 4095) & ~4095)
    call("cudaHostRegister", page, 4096, 2)
    call("cudaHostRegister", page, 4096, 2, want=712)
    host = (c_uint32 * 32).from_address(page.value)
    host[:] = range(32)
    used.launch("add", out(c_void_p, "cudaHostGetDevicePointer", page, 0), c_uint32(1))
    call("cudaDeviceSynchronize")
    assert list(host) == list(range(1, 33))
    call("cudaHostUnregister", page)
    call("cudaHostUnregister", page, want=713)
    call("cudaHostGetDevicePointer", byref(c_void_p()), page, 0, want=INVALID_VALUE)


def test_copies():
    """All kinds, and kinds that say what is not so."""
    first, second, host = out(c_void_p, "cudaMalloc", 128), out(c_void_p, "cudaMalloc", 128), numbers(*range(32))
    result = numbers(*[0] * 32)
    call("cudaMemcpy", first, host, 128, TO_DEVICE)
    call("cudaMemcpy", second, first, 128, ON_DEVICE)
    call("cudaMemcpyAsync", result, second, 128, DEFAULT, None)
    call("cudaStreamSynchronize", None)
    assert list(result) == list(range(32))
    call("cudaMemcpy", host, c_void_p(ctypes.addressof(result) + 64), 64, 0)
    assert host[0] == 16 and host[16] == 16
    for to, origin, kind, want in ((first, host, TO_HOST, INVALID_VALUE), (host, first, TO_DEVICE, INVALID_VALUE), (host, result, ON_DEVICE, INVALID_VALUE),
                                   (first, host, 5, INVALID_DIRECTION), (first, host, -1, INVALID_DIRECTION), (None, host, TO_DEVICE, INVALID_VALUE),
                                   (first, None, TO_DEVICE, INVALID_VALUE)):
        call("cudaMemcpy", to, origin, 128, kind, want=want)
        last(want)
        call("cudaMemcpyAsync", to, origin, 128, kind, None, want=want)
    last(INVALID_VALUE)
    call("cudaMemcpy", first, host, 0, TO_DEVICE)
    call("cudaMemcpyPeer", first, 0, c_void_p(second.value + 4), 0, 4)
    assert read(first, 2) == [1, 1]
    call("cudaMalloc", None, 4, want=INVALID_VALUE)
    call("cudaMalloc", byref(c_void_p()), c_size_t(1 << 62), want=2)
    last(2)
    assert out(c_void_p, "cudaMalloc", 0).value is None
    call("cudaFree", None)
    call("cudaFree", c_void_p(first.value + 4), want=INVALID_VALUE)
    free, whole = c_size_t(), c_size_t()
    call("cudaMemGetInfo", byref(free), byref(whole))
    assert 0 < free.value <= whole.value
    for memory in (first, second):
        call("cudaFree", memory)
    call("cudaFree", first, want=INVALID_VALUE)
    last(INVALID_VALUE)


def test_fills():
    memory, pitch = c_void_p(), c_size_t()
    call("cudaMallocPitch", byref(memory), byref(pitch), 20, 6)
    assert pitch.value >= 20 and pitch.value % 4 == 0
    size = pitch.value * 6
    call("cudaMemset", memory, 0x101, size)  # the lowest byte is what counts
    call("cudaMemset2D", c_void_p(memory.value + 4), pitch, 2, 12, 3)
    call("cudaMemset2DAsync", c_void_p(memory.value + 4 * pitch.value), pitch, 3, 4, 2, None)
    rows, row = read(memory, size // 4), pitch.value // 4
    ones, twos, threes = 0x01010101, 0x02020202, 0x03030303
    assert [rows[y * row:y * row + 5] for y in range(6)] == [[ones, twos, twos, twos, ones]] * 3 + [[ones] * 5] + [[threes] + [ones] * 4] * 2
    call("cudaMemset2D", memory, 16, 0, 20, 2, want=12)
    last(12)
    call("cudaMemset", None, 0, 4, want=INVALID_VALUE)
    call("cudaFree", memory)
    box = Pitched()
    call("cudaMalloc3D", byref(box), Extent(8, 3, 2))
    assert (box.width, box.height) == (8, 3) and box.pitch >= 8
    call("cudaMemset3D", box, 0, Extent(8, 3, 2))
    call("cudaMemset3DAsync", box, 4, Extent(4, 2, 2), None)
    rows, row = read(c_void_p(box.address), box.pitch * 6 // 4), box.pitch // 4
    assert [rows[y * row:y * row + 2] for y in range(6)] == ([[0x04040404, 0]] * 2 + [[0, 0]]) * 2
    call("cudaFree", c_void_p(box.address))


def test_texts():
    """Names and texts, as the manual has them."""
    for name in ("cudaGetErrorName", "cudaGetErrorString"):
        getattr(cudart, name).restype = c_char_p
    for error, name, text in ((0, b"cudaSuccess", b"no error"), (1, b"cudaErrorInvalidValue", b"invalid argument"),
                              (2, b"cudaErrorMemoryAllocation", b"out of memory"),
                              (9, b"cudaErrorInvalidConfiguration", b"invalid configuration argument"),
                              (13, b"cudaErrorInvalidSymbol", b"invalid device symbol"), (98, b"cudaErrorInvalidDeviceFunction", b"invalid device function"),
                              (26, b"cudaErrorInvalidFilterSetting", b"linear filtering not supported for non-float type"),
                              (27, b"cudaErrorInvalidNormSetting", b"read as normalized float not supported for data type"),
                              (52, b"cudaErrorMissingConfiguration", b"__global__ function call is not configured"),
                              (101, b"cudaErrorInvalidDevice", b"invalid device ordinal"), (600, b"cudaErrorNotReady", b"device not ready"),
                              (700, b"cudaErrorIllegalAddress", b"an illegal memory access was encountered"),
                              (719, b"cudaErrorLaunchFailure", b"unspecified launch failure"),
                              (801, b"cudaErrorNotSupported", b"operation not supported"), (999, b"cudaErrorUnknown", b"unknown error"),
                              (12345, b"unrecognized error code", b"unrecognized error code")):
        assert (cudart.cudaGetErrorName(error), cudart.cudaGetErrorString(error)) == (name, text), error


def test_errors_of_threads():
    """Each thread has a last error of its own; that work is not ready is none."""
    found = []
    call("cudaMalloc", None, 4, want=INVALID_VALUE)
    thread = threading.Thread(target=lambda: found.append(cudart.cudaGetLastError()))
    thread.start()
    thread.join()
    call("cudaDeviceSynchronize")  # a success changes nothing
    assert found == [0]
    last(INVALID_VALUE)


def test_streams(used):
    memory, gate = out(c_void_p, "cudaMalloc", 128), threading.Event()
    put(memory, *[0] * 32)
    stream, begun, done = out(c_void_p, "cudaStreamCreateWithFlags", 1), out(c_void_p, "cudaEventCreate"), out(c_void_p, "cudaEventCreate")
    other = out(c_void_p, "cudaStreamCreate")
    wait = ctypes.CFUNCTYPE(None, c_void_p)(lambda user: gate.wait(20) and None)
    call("cudaEventRecord", begun, stream)
    call("cudaLaunchHostFunc", stream, wait, None)
    used.launch("add", memory, c_uint32(4), stream=stream)
    call("cudaEventRecord", done, stream)
    call("cudaStreamWaitEvent", other, done, 0)
    call("cudaMemsetAsync", memory, 0, 4, other)
    for name, thing in (("cudaStreamQuery", stream), ("cudaEventQuery", done), ("cudaStreamQuery", other)):
        call(name, thing, want=NOT_READY)
    call("cudaEventElapsedTime", byref(c_float()), begun, done, want=NOT_READY)
    call("cudaGetLastError")
    gate.set()
    call("cudaEventSynchronize", done)
    call("cudaStreamSynchronize", other)
    assert read(memory, 3) == [0, 4, 4]
    assert out(c_float, "cudaEventElapsedTime", begun, done).value >= 0
    got = []
    called = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(lambda of, status, user: got.append((of, status, user)))
    call("cudaStreamAddCallback", stream, called, c_void_p(7), 0)
    call("cudaStreamSynchronize", stream)
    assert got == [(stream.value, 0, 7)], got
    flags, priority = c_uint(), c_int(9)
    call("cudaStreamGetFlags", stream, byref(flags))
    call("cudaStreamGetPriority", other, byref(priority))
    assert (flags.value, priority.value) == (1, 0)
    for thing in (stream, other):
        call("cudaStreamDestroy", thing)
    untimed = out(c_void_p, "cudaEventCreateWithFlags", 2)
    call("cudaEventRecord", untimed, None)
    call("cudaEventSynchronize", untimed)
    call("cudaEventElapsedTime", byref(c_float()), begun, untimed, want=INVALID_HANDLE)
    last(INVALID_HANDLE)
    for thing in (begun, done, untimed):
        call("cudaEventDestroy", thing)
    call("cudaFree", memory)


def test_streams_of_threads(used):
    """The names of programs whose default stream is one of each thread."""
    memory = out(c_void_p, "cudaMalloc", 128)
    call("cudaMemset_ptds", memory, 0, 128)
    call("cudaMemcpy_ptds", memory, numbers(*range(32)), 128, TO_DEVICE)
    call("cudaLaunchKernel_ptsz", used["add"], Dim3(1), Dim3(32), values(memory, c_uint32(4)), 0, None)
    call("cudaMemcpyToSymbol_ptds", used["factor"], numbers(2), 4, 0, TO_DEVICE)
    call("cudaLaunchKernelExC_ptsz", byref(Config(Dim3(1), Dim3(32), 0, None, None, 0)), used["scale"], values(memory))
    call("cudaStreamSynchronize_ptsz", None)
    assert read(memory, 32) == [2 * (number + 4) for number in range(32)]
    gate = threading.Event()
    wait = ctypes.CFUNCTYPE(None, c_void_p)(lambda user: gate.wait(20) and None)
    call("cudaLaunchHostFunc_ptsz", None, wait, None)
    call("cudaStreamQuery_ptsz", None, want=NOT_READY)
    thread = threading.Thread(target=call, args=("cudaStreamSynchronize_ptsz", None))  # its stream is another
    thread.start()
    thread.join()
    call("cudaStreamQuery", c_void_p(2), want=NOT_READY)
    gate.set()
    call("cudaStreamSynchronize_ptsz", None)
    call("cudaFree", memory)


def test_programs():
    """One whose parts are linked when it is loaded; those whose modules nothing can run; what is left behind them."""
    parts = Program(HEAD + b".extern .func (.param .u32 result) twice(.param .u32 of);" + kernel(
        "double", "", "{ .param .u32 of; .param .u32 result; ld.global.u32 %r0, [%a0]; st.param.u32 [of], %r0; call (result), twice, (of);"
        " ld.param.u32 %r0, [result]; st.global.u32 [%a0], %r0; }"),
                    HEAD + b""".visible .func (.param .u32 result) twice(.param .u32 of) {
    .reg .u32 %r; ld.param.u32 %r, [of]; shl.b32 %r, %r, 1; st.param.u32 [result], %r; ret;
}
""", kernels=("double", ), is_linked=True)
    broken = Program(HEAD + b".visible .entry broken( { ret; }\n", kernels=("broken", ), variables=(("gone", 4), ))
    memory = out(c_void_p, "cudaMalloc", 128)
    put(memory, *range(32))
    parts.launch("double", memory)
    assert read(memory, 32) == list(range(0, 64, 2))
    call("cudaLaunchKernel", broken["broken"], Dim3(1), Dim3(1), None, 0, None, want=218)
    call("cudaMemcpyToSymbol", broken["gone"], numbers(1), 4, 0, TO_DEVICE, want=218)
    last(218)
    machine_code = Program(b"\177ELF", kernels=("add", ), kind=2)
    machine_code.launch("add", memory, c_uint32(1), want=NO_IMAGE)
    last(NO_IMAGE)
    machine_code.end()
    broken.end()
    parts.end()
    parts.launch("double", memory, want=INVALID_FUNCTION)
    last(INVALID_FUNCTION)
    call("cudaFree", memory)


def test_fault(used):
    """A fault stays until the device is reset, and a program goes on behind that."""
    memory = out(c_void_p, "cudaMalloc", 128)
    used.launch("add", c_void_p(64), c_uint32(1))
    for _ in range(2):
        call("cudaDeviceSynchronize", want=ILLEGAL_ADDRESS)
    call("cudaMalloc", byref(c_void_p()), 4, want=ILLEGAL_ADDRESS)
    call("cudaMemcpy", memory, numbers(1), 4, TO_DEVICE, want=ILLEGAL_ADDRESS)
    used.launch("add", memory, c_uint32(1), want=ILLEGAL_ADDRESS)
    call("cudaPeekAtLastError", want=ILLEGAL_ADDRESS)
    call("cudaGetLastError", want=ILLEGAL_ADDRESS)
    call("cudaDeviceReset")
    call("cudaGetLastError")
    memory = out(c_void_p, "cudaMalloc", 128)
    used.launch("add", c_void_p(64), c_uint32(1))
    call("cudaMemcpy", numbers(0), memory, 4, TO_HOST, want=ILLEGAL_ADDRESS)  # which waits for the kernel
    last(ILLEGAL_ADDRESS)
    call("cudaDeviceReset")
    memory = out(c_void_p, "cudaMalloc", 128)
    put(memory, *range(32))
    used.launch("scale", memory)  # the constant is new, too
    assert read(memory, 3) == [0, 3, 6]
    variable = c_uint32.from_address(used.managed("total").value)
    assert variable.value == 5
    used.launch("count", memory)
    call("cudaDeviceSynchronize")
    assert variable.value == 37
    call("cudaFree", memory)


if __name__ == "__main__":
    registered = program()
    for test in (test_launches, test_refused_launches, test_symbols, test_managed, test_host):
        test(registered)
    for test in (test_copies, test_fills, test_texts, test_errors_of_threads):
        test()
    for test in (test_streams, test_streams_of_threads):
        test(registered)
    test_programs()
    test_fault(registered)
    registered.end()
    print("cudart: ok")
