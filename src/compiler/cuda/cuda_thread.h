/* What a thread calls: fences, atomic functions, text, minima and maxima. */
#pragma once
__HEXEC_HEADER_BEGIN

#define __hexec_index(name)                                                                                  \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const                                       \
    {                                                                                                        \
        return dim3(x, y, z);                                                                                \
    }                                                                                                        \
    __device__ inline __cuda_builtin_##name##_t::operator uint3() const                                      \
    {                                                                                                        \
        return uint3{x, y, z};                                                                               \
    }
#define __hexec_only_dim3(name)                                                                              \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const                                       \
    {                                                                                                        \
        return dim3(x, y, z);                                                                                \
    }
__hexec_index(threadIdx);
__hexec_index(blockIdx);
#if __clang_major__ < 15
__hexec_only_dim3(blockDim);
__hexec_only_dim3(gridDim);
#else
__hexec_index(blockDim);
__hexec_index(gridDim);
#endif
#undef __hexec_index
#undef __hexec_only_dim3

/* clang 14 takes it that a barrier or a fence leaves variables alone whose address nothing has, as most
 * shared ones, and moves their loads across it (its analysis of globals counts only arguments of intrinsics).
 * It moves none across assembly that changes memory. */
#define __hexec_order() asm volatile("" ::: "memory")
#define __hexec_ordered(NAME)                                                                                \
    static inline __device__ __attribute__((always_inline, nodebug)) void __hexec_ordered##NAME()            \
    {                                                                                                        \
        __hexec_order();                                                                                     \
        NAME();                                                                                              \
        __hexec_order();                                                                                     \
    }
#define __hexec_ordered_vote(NAME)                                                                           \
    static inline __device__ __attribute__((always_inline, nodebug)) int __hexec_ordered##NAME(int truth)    \
    {                                                                                                        \
        __hexec_order();                                                                                     \
        const int result = NAME(truth);                                                                      \
        __hexec_order();                                                                                     \
        return result;                                                                                       \
    }
__hexec_ordered(__syncthreads);
__hexec_ordered(__threadfence);
__hexec_ordered(__threadfence_block);
__hexec_ordered(__threadfence_system);
__hexec_ordered_vote(__syncthreads_and);
__hexec_ordered_vote(__syncthreads_or);
__hexec_ordered_vote(__syncthreads_count);
#undef __hexec_ordered
#undef __hexec_ordered_vote
#undef __hexec_order
#define __syncthreads        __hexec_ordered__syncthreads
#define __threadfence        __hexec_ordered__threadfence
#define __threadfence_block  __hexec_ordered__threadfence_block
#define __threadfence_system __hexec_ordered__threadfence_system
#define __syncthreads_and    __hexec_ordered__syncthreads_and
#define __syncthreads_or     __hexec_ordered__syncthreads_or
#define __syncthreads_count  __hexec_ordered__syncthreads_count

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t bytes);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function)
{
    __assertfail(message, file, line, function, 1);
}
}
#ifndef __CUDACC_RTC__
namespace std
{
__device__ static inline void free(void *at)
{
    ::free(at);
}
__device__ static inline void *malloc(size_t bytes)
{
    return ::malloc(bytes);
}
} // namespace std
#include <new>
#endif
#include "cuda_traits.h"

/* --- minima and maxima, and float forms of functions with one name for both types ---------------------- */

#define __hexec_extremes(type)                                                                               \
    static inline __host__ __device__ constexpr type min(type a, type b)                                     \
    {                                                                                                        \
        return b < a ? b : a;                                                                                \
    }                                                                                                        \
    static inline __host__ __device__ constexpr type max(type a, type b)                                     \
    {                                                                                                        \
        return a < b ? b : a;                                                                                \
    }
__hexec_extremes(unsigned int);
__hexec_extremes(long);
__hexec_extremes(unsigned long);
__hexec_extremes(long long);
__hexec_extremes(unsigned long long);
#undef __hexec_extremes
static inline __device__ float min(float a, float b)
{
    return fminf(a, b);
}
static inline __device__ float max(float a, float b)
{
    return fmaxf(a, b);
}
static inline __device__ double min(double a, double b)
{
    return fmin(a, b);
}
static inline __device__ double max(double a, double b)
{
    return fmax(a, b);
}
static inline __host__ int min(int a, int b)
{
    return b < a ? b : a;
} /* the device's are clang's */
static inline __host__ int max(int a, int b)
{
    return a < b ? b : a;
}
static inline __host__ float min(float a, float b)
{
    return b < a ? b : a;
}
static inline __host__ float max(float a, float b)
{
    return a < b ? b : a;
}
static inline __host__ double min(double a, double b)
{
    return b < a ? b : a;
}
static inline __host__ double max(double a, double b)
{
    return a < b ? b : a;
}
/* Of two types, as C converts them: */
#define __hexec_mixed(a_type, b_type, type)                                                                  \
    static inline __host__ __device__ type min(a_type a, b_type b)                                           \
    {                                                                                                        \
        return min((type)a, (type)b);                                                                        \
    }                                                                                                        \
    static inline __host__ __device__ type max(a_type a, b_type b)                                           \
    {                                                                                                        \
        return max((type)a, (type)b);                                                                        \
    }                                                                                                        \
    static inline __host__ __device__ type min(b_type a, a_type b)                                           \
    {                                                                                                        \
        return min((type)a, (type)b);                                                                        \
    }                                                                                                        \
    static inline __host__ __device__ type max(b_type a, a_type b)                                           \
    {                                                                                                        \
        return max((type)a, (type)b);                                                                        \
    }
__hexec_mixed(int, unsigned int, unsigned int);
__hexec_mixed(long, unsigned long, unsigned long);
__hexec_mixed(long long, unsigned long long, unsigned long long);
__hexec_mixed(float, double, double);
#undef __hexec_mixed

__host__ float rsqrtf(float);
__host__ double rsqrt(double);
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
#define __hexec_whole(type, NAME)                                                                            \
    static inline __device__ type NAME(float a)                                                              \
    {                                                                                                        \
        return NAME##f(a);                                                                                   \
    }
__hexec_of_float(rsqrt);
__hexec_of_float(rcbrt);
__hexec_of_float(sinpi);
__hexec_of_float(cospi);
__hexec_of_float(erfinv);
__hexec_of_float(erfcinv);
__hexec_of_float(erfcx);
__hexec_of_float(normcdf);
__hexec_of_float(normcdfinv);
__hexec_of_float(exp10);
/* clang declares these and defines them only with the toolkit's headers. */
__hexec_of_float(acosh);
__hexec_of_float(asinh);
__hexec_of_float(atanh);
__hexec_of_float(cbrt);
__hexec_of_float(erf);
__hexec_of_float(erfc);
__hexec_of_float(exp2);
__hexec_of_float(expm1);
__hexec_of_float(lgamma);
__hexec_of_float(log1p);
__hexec_of_float(log2);
__hexec_of_float(logb);
__hexec_of_float(nearbyint);
__hexec_of_float(rint);
__hexec_of_float(round);
__hexec_of_float(tgamma);
__hexec_of_float(trunc);
__hexec_of_floats(copysign);
__hexec_of_floats(fdim);
__hexec_of_floats(fmax);
__hexec_of_floats(fmin);
__hexec_of_floats(hypot);
__hexec_of_floats(nextafter);
__hexec_of_floats(remainder);
__hexec_whole(int, ilogb);
__hexec_whole(long, lrint);
__hexec_whole(long, lround);
__hexec_whole(long long, llrint);
__hexec_whole(long long, llround);
static inline __device__ float remquo(float a, float b, int *quotient)
{
    return remquof(a, b, quotient);
}
static inline __device__ float scalbn(float a, int exponent)
{
    return scalbnf(a, exponent);
}
static inline __device__ float scalbln(float a, long exponent)
{
    return scalblnf(a, exponent);
}
#undef __hexec_of_float
#undef __hexec_of_floats
#undef __hexec_whole
static inline __device__ void sincospi(float a, float *s, float *c)
{
    sincospif(a, s, c);
}
static inline __device__ void sincos(float a, float *s, float *c)
{
    sincosf(a, s, c);
}
/* So it does with these two. */
static inline __device__ float fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
static inline __device__ double nan(const char *)
{
    return __builtin_nan("");
}
static inline __device__ float nanf(const char *)
{
    return __builtin_nanf("");
}
static inline __device__ float __tanhf(float a)
{
    float d;
    asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
    return d;
}

/* --- atomic functions ----------------------------------------------------------------------------------- */

/* One row for the whole device, one for the block, one for the system. */
#define __hexec_atomic(NAME, type, as, builtin, tail)                                                        \
    static inline __device__ type NAME(type *at, type value)                                                 \
    {                                                                                                        \
        return (type)__nvvm_atom_##builtin##_gen_##tail((as *)at, (as)value);                                \
    }                                                                                                        \
    static inline __device__ type NAME##_block(type *at, type value)                                         \
    {                                                                                                        \
        return (type)__nvvm_atom_cta_##builtin##_gen_##tail((as *)at, (as)value);                            \
    }                                                                                                        \
    static inline __device__ type NAME##_system(type *at, type value)                                        \
    {                                                                                                        \
        return (type)__nvvm_atom_sys_##builtin##_gen_##tail((as *)at, (as)value);                            \
    }
__hexec_atomic(atomicAdd, int, int, add, i);
__hexec_atomic(atomicAdd, unsigned int, int, add, i);
__hexec_atomic(atomicAdd, long, long long, add, ll);
__hexec_atomic(atomicAdd, unsigned long, long long, add, ll);
__hexec_atomic(atomicAdd, unsigned long long, long long, add, ll);
__hexec_atomic(atomicAdd, float, float, add, f);
__hexec_atomic(atomicAdd, double, double, add, d);
__hexec_atomic(atomicExch, int, int, xchg, i);
__hexec_atomic(atomicExch, unsigned int, int, xchg, i);
__hexec_atomic(atomicExch, unsigned long long, long long, xchg, ll);
__hexec_atomic(atomicMin, int, int, min, i);
__hexec_atomic(atomicMin, unsigned int, unsigned int, min, ui);
__hexec_atomic(atomicMin, long long, long long, min, ll);
__hexec_atomic(atomicMin, unsigned long long, unsigned long long, min, ull);
__hexec_atomic(atomicMax, int, int, max, i);
__hexec_atomic(atomicMax, unsigned int, unsigned int, max, ui);
__hexec_atomic(atomicMax, long long, long long, max, ll);
__hexec_atomic(atomicMax, unsigned long long, unsigned long long, max, ull);
__hexec_atomic(atomicInc, unsigned int, unsigned int, inc, ui);
__hexec_atomic(atomicDec, unsigned int, unsigned int, dec, ui);
#define __hexec_atomic_bits(NAME, builtin)                                                                   \
    __hexec_atomic(NAME, int, int, builtin, i) __hexec_atomic(NAME, unsigned int, int, builtin, i)           \
        __hexec_atomic(NAME, long long, long long, builtin, ll)                                              \
            __hexec_atomic(NAME, unsigned long long, long long, builtin, ll)
__hexec_atomic_bits(atomicAnd, and);
__hexec_atomic_bits(atomicOr, or);
__hexec_atomic_bits(atomicXor, xor);
#define __hexec_atomic_forms(END)                                                                            \
    static inline __device__ int atomicSub##END(int *at, int value)                                          \
    {                                                                                                        \
        return atomicAdd##END(at, -value);                                                                   \
    }                                                                                                        \
    static inline __device__ unsigned int atomicSub##END(unsigned int *at, unsigned int value)               \
    {                                                                                                        \
        return atomicAdd##END(at, 0u - value);                                                               \
    }                                                                                                        \
    static inline __device__ float atomicExch##END(float *at, float value)                                   \
    {                                                                                                        \
        return __int_as_float(atomicExch##END((int *)at, __float_as_int(value)));                            \
    }
__hexec_atomic_forms();
__hexec_atomic_forms(_block);
__hexec_atomic_forms(_system);
#define __hexec_atomic_cas(NAME, scope, type, as, tail)                                                      \
    static inline __device__ type NAME(type *at, type expected, type value)                                  \
    {                                                                                                        \
        return (type)__nvvm_atom_##scope##cas_gen_##tail((as *)at, (as)expected, (as)value);                 \
    }
#define __hexec_atomic_cas_of(type, as, tail)                                                                \
    __hexec_atomic_cas(atomicCAS, , type, as, tail)                                                          \
        __hexec_atomic_cas(atomicCAS_block, cta_, type, as, tail)                                            \
            __hexec_atomic_cas(atomicCAS_system, sys_, type, as, tail)
__hexec_atomic_cas_of(int, int, i);
__hexec_atomic_cas_of(unsigned int, int, i);
__hexec_atomic_cas_of(long long, long long, ll);
__hexec_atomic_cas_of(unsigned long long, long long, ll);
static inline __device__ unsigned short atomicCAS(unsigned short *at, unsigned short expected,
                                                  unsigned short value)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(old)
                 : "l"(at), "h"(expected), "h"(value)
                 : "memory");
    return old;
}
/* Of a vector each element is an atomic of its own, as on the GPU. */
static inline __device__ float2 atomicAdd(float2 *at, float2 value)
{
    return float2{atomicAdd(&at->x, value.x), atomicAdd(&at->y, value.y)};
}
static inline __device__ float4 atomicAdd(float4 *at, float4 value)
{
    return float4{atomicAdd(&at->x, value.x), atomicAdd(&at->y, value.y), atomicAdd(&at->z, value.z),
                  atomicAdd(&at->w, value.w)};
}
#undef __hexec_atomic
#undef __hexec_atomic_bits
#undef __hexec_atomic_forms
#undef __hexec_atomic_cas
#undef __hexec_atomic_cas_of

/* --- loads, shifts, time -------------------------------------------------------------------------------- */

/* Vectors of 2 to 16 bytes are loaded and stored as a whole: `same` has their elements, or all there is below
 * four bytes. */
template <typename __T> struct __hexec_access {
    static constexpr bool __is_one = __hexec_std::is_scalar<__T>::value;
    static constexpr bool __is_vector = !__is_one && alignof(__T) == sizeof(__T) && sizeof(__T) >= 2;
    using __word = __hexec_std::conditional_t<sizeof(__T) == 2, unsigned short, unsigned int>;
    static constexpr size_t __bytes = __is_vector ? sizeof(__T) : sizeof(__word);
    typedef __word __vector __attribute__((vector_size(__bytes)));
    using same = __hexec_std::conditional_t<__is_vector, __vector, __T>;
};
#define __hexec_load(NAME, kind)                                                                             \
    template <typename __T> static inline __device__ __T NAME(const __T *at)                                 \
    {                                                                                                        \
        using same = typename __hexec_access<__T>::same;                                                     \
        const same found = *(const kind same *)at;                                                           \
        return __builtin_bit_cast(__T, found);                                                               \
    }
#define __hexec_store(NAME, kind)                                                                            \
    template <typename __T> static inline __device__ void NAME(__T *at, __T value)                           \
    {                                                                                                        \
        using same = typename __hexec_access<__T>::same;                                                     \
        const same stored = __builtin_bit_cast(same, value);                                                 \
        *(kind same *)at = stored;                                                                           \
    }
#define __hexec_plain
__hexec_load(__ldg, __hexec_plain);
__hexec_load(__ldca, __hexec_plain);
__hexec_load(__ldcg, __hexec_plain);
__hexec_load(__ldcs, __hexec_plain);
__hexec_load(__ldlu, __hexec_plain);
__hexec_load(__ldcv, volatile);
__hexec_store(__stcg, __hexec_plain);
__hexec_store(__stcs, __hexec_plain);
__hexec_store(__stwb, __hexec_plain);
__hexec_store(__stwt, volatile);
#undef __hexec_load
#undef __hexec_store
#undef __hexec_plain

#define __hexec_funnel(NAME, ptx)                                                                            \
    static inline __device__ unsigned int NAME(unsigned int low, unsigned int high, unsigned int shift)      \
    {                                                                                                        \
        unsigned int d;                                                                                      \
        asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(low), "r"(high), "r"(shift));                             \
        return d;                                                                                            \
    }
__hexec_funnel(__funnelshift_l, "shf.l.wrap.b32");
__hexec_funnel(__funnelshift_lc, "shf.l.clamp.b32");
__hexec_funnel(__funnelshift_r, "shf.r.wrap.b32");
__hexec_funnel(__funnelshift_rc, "shf.r.clamp.b32");
#undef __hexec_funnel

/* Sums of products of 8 bits, and of 16 and 8: as words, and as vectors, which lie in a word */
#define __hexec_dot(NAME, word, __A, __B, ptx)                                                               \
    static inline __device__ word NAME(word a, word b, word c)                                               \
    {                                                                                                        \
        word d;                                                                                              \
        asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                                      \
        return d;                                                                                            \
    }                                                                                                        \
    static inline __device__ word NAME(__A a, __B b, word c)                                                 \
    {                                                                                                        \
        return NAME(__builtin_bit_cast(word, a), __builtin_bit_cast(word, b), c);                            \
    }
__hexec_dot(__dp4a, int, char4, char4, "dp4a.s32.s32");
__hexec_dot(__dp4a, unsigned int, uchar4, uchar4, "dp4a.u32.u32");
__hexec_dot(__dp2a_lo, int, short2, char4, "dp2a.lo.s32.s32");
__hexec_dot(__dp2a_lo, unsigned int, ushort2, uchar4, "dp2a.lo.u32.u32");
__hexec_dot(__dp2a_hi, int, short2, char4, "dp2a.hi.s32.s32");
__hexec_dot(__dp2a_hi, unsigned int, ushort2, uchar4, "dp2a.hi.u32.u32");
#undef __hexec_dot

static inline __device__ void __nanosleep(unsigned int ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
static inline __device__ unsigned long long __globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
#define __hexec_address(space, number)                                                                       \
    static inline __device__ size_t __cvta_generic_to_##space(const void *at)                                \
    {                                                                                                        \
        return (size_t)(__attribute__((address_space(number))) void *)at;                                    \
    }                                                                                                        \
    static inline __device__ void *__cvta_##space##_to_generic(size_t at)                                    \
    {                                                                                                        \
        return (void *)(__attribute__((address_space(number))) void *)at;                                    \
    }
__hexec_address(global, 1);
__hexec_address(shared, 3);
__hexec_address(constant, 4);
__hexec_address(local, 5);
#undef __hexec_address
static inline __device__ unsigned int __isShared(const void *at)
{
    return __nvvm_isspacep_shared(at);
}
static inline __device__ unsigned int __isGlobal(const void *at)
{
    return __nvvm_isspacep_global(at);
}
static inline __device__ unsigned int __isLocal(const void *at)
{
    return __nvvm_isspacep_local(at);
}
static inline __device__ unsigned int __isConstant(const void *at)
{
    return __nvvm_isspacep_const(at);
}
__HEXEC_HEADER_END
