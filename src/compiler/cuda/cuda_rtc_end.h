/* What NVRTC's programs have without an include, second part: what needs the functions of a thread, and the
 * macros by which they learn what compiles them. */
#pragma once
__HEXEC_HEADER_BEGIN

__device__ inline void *operator new(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}
__device__ inline void *operator new[](size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}
__device__ inline void operator delete(void *at) noexcept
{
    free(at);
}
__device__ inline void operator delete[](void *at) noexcept
{
    free(at);
}
__device__ inline void operator delete(void *at, size_t) noexcept
{
    free(at);
}
__device__ inline void operator delete[](void *at, size_t) noexcept
{
    free(at);
}

#include "cuda_traits.h"
#if !__has_builtin(__is_nothrow_destructible) /* before clang 16; NVRTC has it */
#define __is_nothrow_destructible(...) (__hexec_std::is_nothrow_destructible<__VA_ARGS__>::value)
#endif
#ifndef __HEXEC_NO_MOVE /* --builtin-move-forward=false: the program has its own */
namespace std
{
template <typename __T>
__host__ __device__ constexpr __hexec_std::remove_reference_t<__T> &&move(__T &&of) noexcept
{
    return static_cast<__hexec_std::remove_reference_t<__T> &&>(of);
}
template <typename __T>
__host__ __device__ constexpr __T &&forward(__hexec_std::remove_reference_t<__T> &of) noexcept
{
    return static_cast<__T &&>(of);
}
template <typename __T>
__host__ __device__ constexpr __T &&forward(__hexec_std::remove_reference_t<__T> &&of) noexcept
{
    return static_cast<__T &&>(of);
}
} // namespace std
#endif

/* Functions with one name for both types, which clang has in its header for C++'s library only */
#define __hexec_of_float(NAME)                                                                               \
    static inline __device__ float NAME(float a)                                                             \
    {                                                                                                        \
        return NAME##f(a);                                                                                   \
    }
#define __hexec_of_floats(NAME)                                                                              \
    static inline __device__ float NAME(float a, float b)                                                    \
    {                                                                                                        \
        return NAME##f(a, b);                                                                                \
    }
static inline __device__ long abs(long a)
{
    return a < 0 ? -a : a;
}
static inline __device__ long long abs(long long a)
{
    return a < 0 ? -a : a;
}
static inline __device__ float abs(float a)
{
    return fabsf(a);
}
static inline __device__ double abs(double a)
{
    return fabs(a);
}
__hexec_of_float(acos);
__hexec_of_float(asin);
__hexec_of_float(atan);
__hexec_of_floats(atan2);
__hexec_of_float(ceil);
__hexec_of_float(cos);
__hexec_of_float(cosh);
__hexec_of_float(exp);
__hexec_of_float(fabs);
__hexec_of_float(floor);
__hexec_of_floats(fmod);
__hexec_of_float(log);
__hexec_of_float(log10);
__hexec_of_floats(pow);
__hexec_of_float(sin);
__hexec_of_float(sinh);
__hexec_of_float(sqrt);
__hexec_of_float(tan);
__hexec_of_float(tanh);
#undef __hexec_of_float
#undef __hexec_of_floats
static inline __device__ float frexp(float a, int *exponent)
{
    return frexpf(a, exponent);
}
static inline __device__ float ldexp(float a, int exponent)
{
    return ldexpf(a, exponent);
}
static inline __device__ float modf(float a, float *whole)
{
    return modff(a, whole);
}
static inline __device__ float pow(float a, int exponent)
{
    return powif(a, exponent);
}
static inline __device__ double pow(double a, int exponent)
{
    return powi(a, exponent);
}
#define __hexec_question(NAME, builtin)                                                                      \
    static inline __device__ bool NAME(float a)                                                              \
    {                                                                                                        \
        return builtin(a);                                                                                   \
    }                                                                                                        \
    static inline __device__ bool NAME(double a)                                                             \
    {                                                                                                        \
        return builtin(a);                                                                                   \
    }
__hexec_question(isfinite, __builtin_isfinite);
__hexec_question(isinf, __builtin_isinf);
__hexec_question(isnan, __builtin_isnan);
__hexec_question(signbit, __builtin_signbit);
#undef __hexec_question
__HEXEC_HEADER_END

#undef INT_MAX
#undef INT_MIN
#undef HUGE_VAL
#undef HUGE_VALF
#undef FP_NAN
#undef FP_INFINITE
#undef FP_ZERO
#undef FP_SUBNORMAL
#undef FP_NORMAL
#undef CUDA_VERSION
#undef __clang__
#undef __CUDA__
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __GNUG__
#undef __GXX_RTTI
#undef _GNU_SOURCE
#undef __linux__
#undef __linux
#undef linux
#undef __gnu_linux__
#undef __unix__
#undef __unix
#undef unix
#undef __x86_64__
#undef __x86_64
#undef __amd64__
#undef __amd64
#undef __SIZEOF_INT128__
