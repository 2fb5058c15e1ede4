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


def test_other_code():
    """There is none for linkers and OptiX, and headers are precompiled anyway."""
    program, size = new(b'extern "C" __global__ void one(int *p) { *p = 1; }'), c_size_t(7)
    check(nvrtc.nvrtcCompileProgram(program, *words("--pch", "--pch-verbose=true")), text(program, "ProgramLog"))
    for kind in ("LTOIR", "OptiXIR"):
        assert getattr(nvrtc, f"nvrtcGet{kind}Size")(program, byref(size)) == INVALID_PROGRAM
        assert getattr(nvrtc, f"nvrtcGet{kind}Size")(program, None) == INVALID_INPUT
        assert getattr(nvrtc, "nvrtcGet" + kind)(program, ctypes.create_string_buffer(8)) == INVALID_PROGRAM
    assert nvrtc.nvrtcGetPCHCreateStatus(program) == 13 and nvrtc.nvrtcGetErrorString(13) == b"NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED"
    assert nvrtc.nvrtcGetPCHHeapSizeRequired(program, byref(size)) == 13
    check(nvrtc.nvrtcSetPCHHeapSize(c_size_t(1 << 20)), "set")
    check(nvrtc.nvrtcGetPCHHeapSize(byref(size)), "get")
    callback = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(lambda user, unused: 0)
    check(nvrtc.nvrtcSetFlowCallback(program, callback, None), "callback")
    assert size.value == 1 << 20 and nvrtc.nvrtcSetFlowCallback(program, None, None) == INVALID_INPUT
    check(nvrtc.nvrtcDestroyProgram(byref(program)), "destroy")


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


# What programs bring, as there is no library
OWN = b"""
#ifndef __CUDACC_RTC__
#error this is no NVRTC
#endif
#if defined __clang__ || defined __GNUC__ || defined __NVCC__ || defined __linux__ || defined __x86_64__ || defined INT_MAX
#error there is a host
#endif
typedef signed char int8_t; typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t; typedef unsigned long uintptr_t;
#define INT_MAX 0x7fffffff
#define INFINITY __int_as_float(0x7f800000)
namespace std {
template <typename T, T is> struct integral_constant { static constexpr T value = is; };
template <typename T> struct is_integral : integral_constant<bool, false> {};
template <> struct is_integral<int> : integral_constant<bool, true> {};
template <bool, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <typename T> struct numeric_limits { static __device__ T max() { return T(INT_MAX); } };
template <typename A, typename B> struct pair { A first; B second; };
inline __device__ float sqrt(float a) { return ::sqrtf(a) + 100; }
}
template <typename T> inline __device__ T clamp(T a, T low, T high) { return min(max(a, low), high); }
template <typename T> __device__ typename std::enable_if<std::is_integral<T>::value, T>::type only(T a) { return a; }
struct Point { float x, y; __device__ Point(float a, float b) : x(a), y(b) {} };
extern "C" __global__ void own(int32_t *o, float *f)
{
    __device__ __shared__ int shared[2]; __shared__ __device__ int other;
    assert(o[0] == 0);
    for (int each : {1, 2, 3})
        o[0] += each;
    std::pair<int, float> p = {only(4), 2.5f};
    Point *held = new (f + 2) Point(7, 8), *made = new Point(1, 2);
    shared[0] = o[0]; other = 5;
    o[1] = p.first + (int)sizeof(int64_t) + std::move(shared[0]) + std::forward<int>(other);
    o[2] = clamp(12, 0, 9) + (std::numeric_limits<int>::max() == INT_MAX) + abs(-3L);
    f[0] = std::sqrt(p.second * 10) + sqrt(16.0f) + pow(2.0f, 3) + (INFINITY > 1e30f) + isnan(f[0]);
    f[1] = made->y + fmaxf(held->x, 3) + sin(0.0f);
    delete made;
    ptrdiff_t apart = o - (int *)NULL; size_t bytes = sizeof apart; clock_t then = clock();
    o[3] = (int)bytes + (then == 0);
}
"""

# What hexec's own headers have for such programs
LIBRARY = b"""
#ifndef __CUDACC_RTC__
#error this is no NVRTC
#endif
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <mma.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/cassert>
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/concepts>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/initializer_list>
#include <cuda/std/latch>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/semaphore>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>
namespace cs = cuda::std;
struct Of { int x; Of(int a) : x(a) {} };
static_assert(cs::is_same_v<cs::remove_pointer_t<int *const>, int> && cs::is_same_v<cs::remove_cvref_t<const int &>, int>);
static_assert(cs::is_same_v<cs::decay_t<const int &>, int> && cs::is_same_v<cs::decay_t<int[3]>, int *>);
static_assert(cs::is_same_v<cs::make_unsigned_t<char>, unsigned char> && cs::is_same_v<cs::make_signed_t<unsigned long>, long>);
static_assert(cs::is_same_v<cs::common_type_t<int, float, char>, float> && cs::is_same_v<cs::invoke_result_t<float (*)(int), char>, float>);
static_assert(cs::is_trivially_copyable_v<Of> && !cs::is_default_constructible_v<Of> && cs::is_convertible_v<int, Of> && !cs::is_convertible_v<Of, int>);
static_assert(cs::is_invocable_v<int (*)(int), int> && !cs::is_invocable_v<int (*)(int), Of> && cs::is_nothrow_destructible_v<Of>);
static_assert(cs::numeric_limits<int>::max() == INT_MAX && cs::numeric_limits<cs::int8_t>::min() == -128 && cs::numeric_limits<uint64_t>::max() == ~0ull);
static_assert(cs::numeric_limits<float>::max() == FLT_MAX && cs::numeric_limits<long long>::digits10 == 18 && cs::numeric_limits<unsigned>::digits == 32);
static_assert(cs::is_same_v<cs::tuple_element_t<1, cs::tuple<int, float>>, float> && cs::tuple_size_v<cs::array<int, 3>> == 3);
static_assert(cs::integral<int> && !cs::integral<float> && cs::same_as<int, int> && !cs::same_as<int, long> && cs::unsigned_integral<unsigned>);
extern "C" __global__ void library(int *o, float *f)
{
    auto [a, b] = cs::pair<int, float>(1, 2.5f);
    cs::tuple<int, float, char> of(3, 4.5f, 'c');
    auto [x, y, z] = of;
    int u;
    float v;
    cs::tie(u, v, cs::get<0>(of)) = cs::make_tuple(5, 6.f, 9);
    o[0] = a + x + u + cs::get<0>(of); /* 1 + 3 + 5 + 9 */
    f[0] = b + y + v;
    cs::array<int, 4> four{1, 2, 3, 4};
    int s = 0;
    for (int each : four)
        s = s * 10 + each;
    for (auto at = four.rbegin(); at != four.rend(); ++at)
        s = s * 10 + *at;
    o[1] = s;
    cs::optional<int> may;
    if (o[0] > 3)
        may = 4;
    o[2] = may.value_or(9) + cs::apply([](int a, float b, char) { return a + (int)b; }, of) + (of < cs::make_tuple(9, 5.f, 'c'));
    f[1] = cs::sqrt(4) + cs::pow(2.f, 3) + cs::abs(-2.f) + __half2float(__float2half(0.5f));
    int first = 1, second = 2;
    cs::swap(first, second);
    o[3] = first * 10 + second + cs::exchange(first, 5);
    NV_IF_TARGET(NV_IS_HOST, (o[4] = 1;), (o[4] = 2;))
    NV_IF_TARGET(NV_PROVIDES_SM_60, (o[4] += 10; o[4] += 20;))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (o[4] += 100;), NV_IS_EXACTLY_SM_80, (o[4] += 200;), NV_ANY_TARGET, (o[4] += 400;))
    cs::atomic<int> *counter = (cs::atomic<int> *)(o + 5);
    counter->fetch_add(3);
    o[6] = cooperative_groups::this_thread_block().size() + cuda::atomic_ref<int>(o[5]).load();
}
"""


def values_of(source, name, *options, count=8, **headers):
    """Compiles, and runs one thread: what it left of integers and floats."""
    program, module, function, at, other = new(source, **headers), c_void_p(), c_void_p(), c_uint64(), c_uint64()
    check(nvrtc.nvrtcCompileProgram(program, *words("-arch=sm_80", *options)), text(program, "ProgramLog"))
    check(cuda.cuModuleLoadData(byref(module), text(program, "PTX")), name)
    check(cuda.cuModuleGetFunction(byref(function), module, name), name)
    for one in (at, other):
        check(cuda.cuMemAlloc_v2(byref(one), c_size_t(64)), "alloc")
        check(cuda.cuMemsetD32_v2(one, 0, c_size_t(16)), "set")
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * 2)(ctypes.addressof(at), ctypes.addressof(other)), None), name)
    whole, parts = (c_int * count)(), (ctypes.c_float * count)()
    check(cuda.cuMemcpyDtoH_v2(whole, at, c_size_t(4 * count)), "copy")
    check(cuda.cuMemcpyDtoH_v2(parts, other, c_size_t(4 * count)), "copy")
    check(nvrtc.nvrtcDestroyProgram(byref(program)), "destroy")
    return list(whole), list(parts)


def test_programs_with_own_library():
    """There are no headers of a host: programs define int32_t and names of std themselves; what NVRTC has is there."""
    for standard in ("c++14", "c++17", "c++20"):
        whole, parts = values_of(OWN, b"own", f"-std={standard}")
        assert whole[:4] == [6, 4 + 8 + 6 + 5, 9 + 1 + 3, 8], whole
        assert parts[:4] == [105 + 4 + 8 + 1, 2 + 7, 7, 8], parts


def test_headers_without_library():
    """hexec's headers need no library of C++, and cuda::std has what programs use of one."""
    for standard in ("c++17", "c++20"):
        whole, parts = values_of(LIBRARY, b"library", f"-std={standard}")
        assert whole[:7] == [18, 12344321, 4 + 13 + 1, 21 + 2, 2 + 30 + 200, 3, 1 + 3], whole
        assert parts[:2] == [13, 12.5], parts


def test_builtins_of_options():
    """What a program has of its own in std is left out by an option, and __int128 is said to be there by one."""
    moved = b"""namespace std { template <typename T> struct bare { typedef T type; }; template <typename T> struct bare<T &> { typedef T type; };
template <typename T> inline __device__ typename bare<T>::type &&move(T &&of) { return static_cast<typename bare<T>::type &&>(of); }
template <typename T> class initializer_list { const T *at; size_t count; public: __device__ size_t twice() const { return 2 * count; } }; }
#ifndef __CUDACC_RTC_INT128__
#error no __int128
#endif
__device__ inline int twice(std::initializer_list<int> of) { return (int)of.twice(); }
extern "C" __global__ void own(int *o, float *) { o[0] = std::move(o[1]) + twice({1, 2, 3}) + (int)((__int128)1 << 70 >> 68); }
"""
    assert values_of(moved, b"own", "--builtin-move-forward=false", "--builtin-initializer-list=false", "--device-int128")[0][0] == 10
    program = new(b"#ifndef __CUDACC_RTC__\n#error no NVRTC\n#endif\n" + moved)
    assert nvrtc.nvrtcCompileProgram(program, *words("--device-int128")) == COMPILATION


def test_shared_variables_of_the_device():
    """They are shared, also in macros and in headers; texts and longer names that have the two words are what they are.
    An alignas may stand behind such words."""
    given = b"""inline __device__ int kept(int v) { __shared__ /* "not a text */ volatile
    __device__ int t[2]; __shared__ alignas(32) char w[3]; t[0] = v; return t[0] + (int)((size_t)w % 32); }"""
    source = rb"""#include "given.h"
#define BOTH(T) __device__ \
    __shared__ T
#define TEXT "__shared__ __device__"
struct __shared__x { int a; };
__device__ __shared__x mine = {5};
extern "C" __global__ void k(int *o, float *)
{
    const char *text = "__device__ __shared__"; // __device__ "
    __device__ __shared__ alignas(alignof(double)) char v[3];
    BOTH(int) t[2];
    __shared__ __device__ int u;
    int my__device__ = 3;
    t[0] = 4; u = 6;
    o[0] = text[2] + TEXT[13]; o[1] = mine.a; o[2] = kept(7); o[3] = t[0] + u + my__device__ + (int)((size_t)v % 8);
}
"""
    assert values_of(source, b"k", count=4, given=given)[0] == [2 * ord("d"), 5, 7, 13]


def test_missing_headers():
    """The log tells which header is missing in NVRTC's words, by which programs find out what they have to give."""
    program = new(b'#include "first.h"\n', b"k", first=b"\n#include <nobody/has.this>\n")
    assert nvrtc.nvrtcCompileProgram(program, 0, None) == COMPILATION
    log = text(program, "ProgramLog")
    assert b'first.h(2): catastrophic error: could not open source file "nobody/has.this" (no directories in search list)\n' in log, log
    program = new(b"int a;\n\n#include <nobody/has.this>\n", b"k.cu")
    assert nvrtc.nvrtcCompileProgram(program, 0, None) == COMPILATION
    assert text(program, "ProgramLog").startswith(b'k.cu(3): catastrophic error: could not open source file "nobody/has.this"'), text(program, "ProgramLog")


def test_programs_with_the_hosts_library():
    """A program that needs it, which NVRTC would refuse, gets it as nvcc's do."""
    source = b"#include <algorithm>\n#include <cstdint>\n#include <vector>\nextern \"C\" __global__ void k(int32_t *o, float *) { o[0] = std::max<int32_t>(3, 4); }\n"
    assert values_of(source, b"k")[0][0] == 4
    program = new(b'#include <cstdint>\n__global__ void k(int32_t *o) { *o = 1; }\n', b"k.cu")
    check(nvrtc.nvrtcCompileProgram(program, 0, None), "compile")
    log = text(program, "ProgramLog")
    assert log.startswith(b'k.cu(1): warning: NVRTC has no header "cstdint" and would refuse the program'), log


def test_programs_that_are_refused():
    """What a header of the host would mend is no reason to take the host's branches and names: NVRTC refuses it."""
    for source in (
        b"__global__ void k(int *o) { o[0] = INT_MAX; }",
        b"__global__ void k(uint32_t *o) { o[0] = 1; }",
        b"#ifdef __CUDACC_RTC__\n#define N missing\n#else\n#define N 2\n#endif\n__global__ void k(int *o) { o[0] = N; }",
    ):
        program = new(source)
        assert nvrtc.nvrtcCompileProgram(program, 0, None) == COMPILATION, source
        assert b"error[HX2111]" in text(program, "ProgramLog"), source


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
