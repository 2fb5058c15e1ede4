#!/usr/bin/env python3
"""usage: nvrtc.py LIBNVRTC.so.12 LIBCUDA.so.1

A Python program that compiles CUDA C while it runs, through ctypes, and launches what it gets."""
import ctypes
import pathlib
import sys
import tempfile
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p

nvrtc, cuda = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION, NO_NAMES_AFTER, NO_LOWERED_BEFORE, NAME_NOT_VALID = 3, 4, 5, 6, 8, 9, 10
nvrtc.nvrtcGetErrorString.restype = c_char_p

KERNELS = b"""#include "scale.h"
#include <cuda_fp16.h>
#include <math.h>
template <typename T> T plus(T a, T b) { return a + b; }
namespace n { __constant__ float shift[2]; }
__device__ int calls;
template <typename T> __global__ void scale(T *data, T factor)
{
    data[threadIdx.x] = plus(times(data[threadIdx.x], factor), T(n::shift[1]));
    if (threadIdx.x == 0)
        atomicAdd(&calls, ADDED);
}
"""
SCALE = b"template <typename T> __device__ T times(T a, T b) { return a * b; }\n"


def words(*strings):
    return len(strings), (c_char_p * len(strings))(*[string.encode() for string in strings])


def new(source, name=b"kernels.cu", **headers):
    program = c_void_p()
    names = (c_char_p * len(headers))(*[(key + ".h").encode() for key in headers])
    assert nvrtc.nvrtcCreateProgram(byref(program), source, name, len(headers), (c_char_p * len(headers))(*headers.values()), names) == 0
    return program


def text(program, what):
    size = c_size_t()
    assert getattr(nvrtc, f"nvrtcGet{what}Size")(program, byref(size)) == 0
    held = ctypes.create_string_buffer(size.value)
    assert getattr(nvrtc, "nvrtcGet" + what)(program, held) == 0
    assert held.raw[-1:] == b"\0" and len(held.value) == size.value - 1
    return held.value


def check(result, what):
    assert result == 0, (what, result)


def test_names_and_results():
    """Templates by their expressions, a header that is no file, macros; what comes of it runs."""
    program = new(KERNELS, scale=SCALE)
    float_name, int_name, shift_name, lowered = b"scale<float>", b"&scale<int>", b"&n::shift", c_char_p()
    for name in (float_name, int_name, shift_name, b"&calls"):
        check(nvrtc.nvrtcAddNameExpression(program, name), name)
    assert nvrtc.nvrtcGetLoweredName(program, float_name, byref(lowered)) == NO_LOWERED_BEFORE
    check(nvrtc.nvrtcCompileProgram(program, *words("--gpu-architecture=compute_80", "-D", "ADDED=2 + 1", "-std=c++17", "-default-device")), text(program, "ProgramLog"))
    assert nvrtc.nvrtcAddNameExpression(program, float_name) == NO_NAMES_AFTER
    assert nvrtc.nvrtcGetLoweredName(program, b"scale<double>", byref(lowered)) == NAME_NOT_VALID
    found = {}
    for name in (float_name, int_name, shift_name, b"&calls"):
        check(nvrtc.nvrtcGetLoweredName(program, name, byref(lowered)), name)
        found[name] = lowered.value
    assert found[float_name] == b"_Z5scaleIfEvPT_S0_" and found[shift_name] == b"_ZN1n5shiftE" and found[b"&calls"] == b"calls", found
    ptx = text(program, "PTX")
    assert b"hexec_name" not in ptx
    run(ptx, found[float_name], ctypes.c_float, found)
    run(ptx, found[int_name], ctypes.c_int32, found)
    check(nvrtc.nvrtcDestroyProgram(byref(program)), "destroy")
    assert not program.value and nvrtc.nvrtcDestroyProgram(byref(program)) == INVALID_PROGRAM


def run(image, name, kind, found):
    module, function, at, shift, calls, size = c_void_p(), c_void_p(), c_uint64(), c_uint64(), c_uint64(), c_size_t()
    check(cuda.cuModuleLoadData(byref(module), image), "load")
    check(cuda.cuModuleGetFunction(byref(function), module, name), name)
    check(cuda.cuModuleGetGlobal_v2(byref(shift), byref(size), module, found[b"&n::shift"]), "shift")
    check(cuda.cuModuleGetGlobal_v2(byref(calls), byref(size), module, found[b"&calls"]), "calls")
    check(cuda.cuMemcpyHtoD_v2(shift, (ctypes.c_float * 2)(0, 5), c_size_t(8)), "copy")
    check(cuda.cuMemAlloc_v2(byref(at), c_size_t(32)), "alloc")
    values, counted = (kind * 8)(*range(8)), c_int()
    check(cuda.cuMemcpyHtoD_v2(at, values, c_size_t(32)), "copy")
    factor = kind(3)
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, None, (c_void_p * 2)(ctypes.addressof(at), ctypes.addressof(factor)), None), "launch")
    check(cuda.cuMemcpyDtoH_v2(values, at, c_size_t(32)), "copy")
    check(cuda.cuMemcpyDtoH_v2(byref(counted), calls, c_size_t(4)), "copy")
    assert list(values) == [3 * i + 5 for i in range(8)], list(values)
    assert counted.value == 3, counted.value
    check(cuda.cuModuleUnload(module), "unload")


def test_binary():
    """There is one for a GPU, which the driver loads, and none for a virtual architecture."""
    source, size = b'extern "C" __global__ void one(int *p) { *p = 1; }', c_size_t(7)
    program = new(source, None)
    assert nvrtc.nvrtcGetPTXSize(program, byref(size)) == INVALID_PROGRAM
    check(nvrtc.nvrtcCompileProgram(program, *words("-arch", "sm_90a", "-I", "/nowhere", "--use_fast_math", "--fmad=false", "-lineinfo")), "compile")
    module = c_void_p()
    check(cuda.cuModuleLoadData(byref(module), text(program, "CUBIN")), "load")
    check(nvrtc.nvrtcCompileProgram(program, 0, None), "compile")
    assert nvrtc.nvrtcGetCUBINSize(program, byref(size)) == 0 and size.value == 0


# What a host may set though no function does, and what only looks like it: declarations, value in PTX
VARIABLES = (
    ("static __constant__ float t[4];", "t[threadIdx.x & 3]"),
    ("static __device__ float t[4];", "t[threadIdx.x & 3]"),
    ("__device__ static const volatile float /* ; ( */ t[4] = {1, 2, 3, 4};", "t[threadIdx.x & 3]"),
    ("static __device__ float t;", "t"),
    ("static __device__ float other = 2, t = 1;", "t * other / 2"),
    ("static __managed__ float t;", "t"),
    ("static __device__ struct S { float a, b; } t;", "t.a"),
    ("template <int n> struct P { float x[n]; }; static __device__ P<(4 > 3)> t{};", "t.x[0]"),
    ("#define ALIGN(n) __attribute__((aligned(n)))\nstatic __device__ ALIGN(16) float t;", "t"),
    ("static __device__ __align__(16) float t = 1;", "t"),
    ("#define OF(name) static __device__ float name \\\n;\nOF(t)", "t"),
    ("constexpr int digits = 1'000; static __device__ float t;", "t"),
    ("static __device__ float t(3);", "t"),
    ("#define ONE 1\nstatic __device__ float t(ONE), f(float);\nstatic __device__ float f(float a) { return a; }", "f(t)"),
    ("#define PRIVATE(type) static __device__ type\nPRIVATE(float) t = 2;", "t"),
    ("namespace { __device__ float t = 2; }", "t"),
    ('#include "variables.h"', "t"),  # of a folder
)


def test_variables_of_nobody():
    """Constants of the host, and static variables that no function names, are not in the code; "used" would bring them."""
    program = new(b"""constexpr int host_only[] = {1, 2, 3}; template <typename T> inline constexpr bool is_four = sizeof(T) == 4;
static const int folded = 5; static __device__ int unnamed = 7; static int of_host = 3;
extern "C" __global__ void k(int *o) { __shared__ int mine[4]; mine[o[0]] = o[1]; *o = folded + is_four<int> + mine[o[2]]; }
""")
    check(nvrtc.nvrtcCompileProgram(program, *words("-arch=sm_80")), text(program, "ProgramLog"))
    ptx = text(program, "PTX")
    for name in (b"host_only", b"is_four", b"folded", b"unnamed", b"of_host", b".global"):
        assert name not in ptx.replace(b"st.global", b"").replace(b"ld.global", b"").replace(b"to.global", b""), (name, ptx)
    assert ptx.index(b".entry") < ptx.index(b".shared"), ptx  # it is the kernel's own


def test_end_of_program():
    """What is missing at the end is missing in the program's last line."""
    for source, said in ((b"__global__ void k() {\n  if (1) {\n}\n\n", b"kernels.cu:3:2: error[HX2111]: expected '}'"), (b"int a;\n/* open", b"kernels.cu:2:1: error[HX2111]: unterminated /* comment")):
        program = new(source)
        assert nvrtc.nvrtcCompileProgram(program, 0, None) == COMPILATION
        log = text(program, "ProgramLog")
        assert log.startswith(said) and b"pragma" not in log and b"/hexec" not in log, log


def test_variables_of_the_host():
    """A static variable that only the host sets keeps its place, and kernels read it."""
    at, memory, size, value = c_uint64(), c_uint64(), c_size_t(), ctypes.c_float()
    check(cuda.cuMemAlloc_v2(byref(memory), c_size_t(4)), "alloc")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "variables.h").write_text("static __device__ float t = 4;\n", encoding="ascii")
        for declared, used in VARIABLES:
            program, module, function = new(f'{declared}\nextern "C" __global__ void k(float *o) {{ o[threadIdx.x] = {used}; }}'.encode()), c_void_p(), c_void_p()
            check(nvrtc.nvrtcCompileProgram(program, *words("-arch=sm_80", f"-I{folder}")), text(program, "ProgramLog"))
            check(cuda.cuModuleLoadData(byref(module), text(program, "PTX")), declared)
            check(cuda.cuModuleGetGlobal_v2(byref(at), byref(size), module, b"_ZN12_GLOBAL__N_11tE" if "namespace" in declared else b"t"), declared)
            check(cuda.cuMemcpyHtoD_v2(at, byref(ctypes.c_float(7)), c_size_t(4)), declared)
            check(cuda.cuModuleGetFunction(byref(function), module, b"k"), declared)
            check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * 1)(ctypes.addressof(memory)), None), declared)
            check(cuda.cuMemcpyDtoH_v2(byref(value), memory, c_size_t(4)), declared)
            assert value.value == 7, (declared, value.value)
            check(cuda.cuModuleUnload(module), declared)


def test_functions_nobody_calls():
    """Words before a function, in a text or a comment keep what they say; what nobody calls is not there."""
    program = new(rb"""#include "given.h"
extern __constant__ int declared; // __device__ float in_comment;
template <typename T> struct Of { static __device__ T made(T a) { return a; } __device__ Of() {} __device__ operator int() const { return 1; } __device__ bool operator<(Of) const; };
static __device__ float unused(float a) { return a; }
__device__ __noinline__ static auto later(int a) -> int { return a; }
static __device__ float (*pick(int a))(float) { return a ? unused : nullptr; }
extern "C" __global__ void k(const char **o, int *p) { *o = "__device__ int in_text;"; auto f = [] __device__ (int a) { return a; }; *p = f(2) + Of<int>::made(1) + given + Of<int>(); }
""", given=b"static __device__ int given; static __device__ int also() { return 1; }\n")
    check(nvrtc.nvrtcCompileProgram(program, *words("-arch=sm_80")), text(program, "ProgramLog"))
    ptx, held = text(program, "PTX"), ", ".join(str(c) for c in b"__device__ int in_text;")
    assert text(program, "ProgramLog") == b"", text(program, "ProgramLog")
    assert b"_ZL5given" in ptx and held.encode() in ptx, ptx
    for name in (b"unused", b"pick", b"later", b"also", b"made", b"in_comment"):
        assert name not in ptx, ptx


def test_linked_variables():
    """Two programs that have the same static names have one of each; templates are there once."""
    source = b"""static __constant__ int t = 5 + N; static __constant__ const int same = 3;
static __device__ __noinline__ int own(int a) { return a * (10 + N) + t; }
template <typename T> struct Of { static __device__ T all; };
template <typename T> __device__ T Of<T>::all = 1;
template <typename T> __device__ __noinline__ T twice(T a) { return 2 * a + t - t; }
extern "C" __global__ void kN(int *o) { o[N] = own(twice(o[N])) + atomicAdd(&Of<int>::all, 1); }
"""
    state, image, module, function, memory, values = c_void_p(), c_void_p(), c_void_p(), c_void_p(), c_uint64(), (c_int * 2)(1, 2)
    check(cuda.cuLinkCreate_v2(0, None, None, byref(state)), "create")
    for which in (b"0", b"1"):
        program = new(source.replace(b"N", which))
        check(nvrtc.nvrtcCompileProgram(program, *words("-arch=sm_80")), text(program, "ProgramLog"))
        ptx = text(program, "PTX")
        assert ptx.count(b".weak") >= 2, ptx
        check(cuda.cuLinkAddData_v2(state, 1, ptx, c_size_t(len(ptx) + 1), None, 0, None, None), "add")
    check(cuda.cuLinkComplete(state, byref(image), None), "complete")
    check(cuda.cuModuleLoadData(byref(module), image), "load")
    check(cuda.cuMemAlloc_v2(byref(memory), c_size_t(8)), "alloc")
    check(cuda.cuMemcpyHtoD_v2(memory, values, c_size_t(8)), "copy")
    for name in (b"k0", b"k1"):
        check(cuda.cuModuleGetFunction(byref(function), module, name), name)
        check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * 1)(ctypes.addressof(memory)), None), name)
    check(cuda.cuMemcpyDtoH_v2(values, memory, c_size_t(8)), "copy")
    assert list(values) == [26, 52], list(values)


def test_options():
    """Words with quotes and blanks reach the compiler as they are; the last of a kind counts."""
    program = new(b'__global__ void k(char *o, float *f) { o[0] = QUOTE; o[1] = TWO; *f = f[1] * f[2] + f[3]; }', pre=b"#define TWO (2 * HALF)\n")
    check(nvrtc.nvrtcCompileProgram(program, *words("-DHALF=1 + 0", "--define-macro", "QUOTE='\\''", "-include", "pre.h", "--fmad=true", "-fmad=false", "-ftz=true", "-arch=sm_75")), text(program, "ProgramLog"))
    ptx = text(program, "PTX")
    assert b".target sm_75" in ptx and b"mul.rn.ftz" in ptx and b"fma" not in ptx and b", 39;" in ptx, ptx


def test_errors():
    program = new(b"__global__ void one(int *p)\n{\n    *p = missing;\n}\n")
    for option in ("--no-such-option", "-arch=80", "--ftz=maybe", "-lineinfo=3", "--std", "plain"):
        assert nvrtc.nvrtcCompileProgram(program, *words(option)) == INVALID_OPTION, option
        assert option.encode() in text(program, "ProgramLog"), text(program, "ProgramLog")
    assert nvrtc.nvrtcCompileProgram(program, 0, None) == COMPILATION
    assert b"kernels.cu:3:10: error" in text(program, "ProgramLog"), text(program, "ProgramLog")
    for option in ("--ftz=false", "-default-device"):
        assert nvrtc.nvrtcCompileProgram(program, *words(option)) == COMPILATION
        assert b"kernels.cu:3:10: error" in text(program, "ProgramLog"), text(program, "ProgramLog")
    assert nvrtc.nvrtcCompileProgram(None, 0, None) == INVALID_PROGRAM
    assert nvrtc.nvrtcCompileProgram(program, 1, None) == INVALID_INPUT
    assert nvrtc.nvrtcCreateProgram(byref(c_void_p()), None, b"a", 0, None, None) == INVALID_INPUT
    assert nvrtc.nvrtcGetErrorString(COMPILATION) == b"NVRTC_ERROR_COMPILATION"
    check(nvrtc.nvrtcDestroyProgram(byref(program)), "destroy")


def test_version():
    major, minor, count = c_int(), c_int(), c_int()
    check(nvrtc.nvrtcVersion(byref(major), byref(minor)), "version")
    check(nvrtc.nvrtcGetNumSupportedArchs(byref(count)), "count")
    there = (c_int * count.value)()
    check(nvrtc.nvrtcGetSupportedArchs(there), "architectures")
    assert (major.value, minor.value) == (12, 0) and 80 in list(there)


def main():
    device, context = c_int(), c_void_p()
    check(cuda.cuInit(0), "init")
    check(cuda.cuDeviceGet(byref(device), 0), "device")
    check(cuda.cuCtxCreate_v2(byref(context), 0, device), "context")
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("all as it should be")


main()
