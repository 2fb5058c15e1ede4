/* Operations of __half and __nv_bfloat16, which differ in names and types only: cuda_fp16.h and cuda_bf16.h
 * include this with T and __T2 (the types), __PTX ("f16"), __FROM_FLOAT and __TO_FLOAT defined. */

#define __hexec_one(__NAME_, text)                                                                           \
    static inline __host__ __device__ __T __NAME_(__T a)                                                     \
    {                                                                                                        \
        __T d;                                                                                               \
        asm(text " %0, %1;" : "=h"(d.__x) : "h"(a.__x));                                                     \
        return d;                                                                                            \
    }
#define __hexec_two(__NAME_, text)                                                                           \
    static inline __host__ __device__ __T __NAME_(__T a, __T b)                                              \
    {                                                                                                        \
        __T d;                                                                                               \
        asm(text " %0, %1, %2;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x));                                     \
        return d;                                                                                            \
    }
#define __hexec_three(__NAME_, text)                                                                         \
    static inline __host__ __device__ __T __NAME_(__T a, __T b, __T c)                                       \
    {                                                                                                        \
        __T d;                                                                                               \
        asm(text " %0, %1, %2, %3;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                     \
        return d;                                                                                            \
    }
__hexec_two(__hadd, "add.rn." __PTX);
__hexec_two(__hsub, "sub.rn." __PTX);
__hexec_two(__hmul, "mul.rn." __PTX);
__hexec_two(__hadd_rn, "add.rn." __PTX);
__hexec_two(__hsub_rn, "sub.rn." __PTX);
__hexec_two(__hmul_rn, "mul.rn." __PTX);
__hexec_three(__hfma, "fma.rn." __PTX);
__hexec_one(__hneg, "neg." __PTX);
__hexec_one(__habs, "abs." __PTX);
__hexec_two(__hmin, "min." __PTX);
__hexec_two(__hmax, "max." __PTX);
__hexec_two(__hmin_nan, "min.NaN." __PTX);
__hexec_two(__hmax_nan, "max.NaN." __PTX);
__hexec_one(htanh_approx, "tanh.approx." __PTX);
#undef __hexec_one
#undef __hexec_two
#undef __hexec_three
static inline __host__ __device__ __T __hdiv(__T a, __T b)
{
    return __FROM_FLOAT(__TO_FLOAT(a) / __TO_FLOAT(b));
}
static inline __host__ __device__ __T __hadd_sat(__T a, __T b)
{
    return __FROM_FLOAT(__saturatef(__TO_FLOAT(__hadd(a, b))));
}
static inline __host__ __device__ __T __hsub_sat(__T a, __T b)
{
    return __FROM_FLOAT(__saturatef(__TO_FLOAT(__hsub(a, b))));
}
static inline __host__ __device__ __T __hmul_sat(__T a, __T b)
{
    return __FROM_FLOAT(__saturatef(__TO_FLOAT(__hmul(a, b))));
}
static inline __host__ __device__ __T __hfma_sat(__T a, __T b, __T c)
{
    return __FROM_FLOAT(__saturatef(__TO_FLOAT(__hfma(a, b, c))));
}
static inline __host__ __device__ __T __hfma_relu(__T a, __T b, __T c)
{
    return __hmax(__hfma(a, b, c), __FROM_FLOAT(0));
}

/* Those of float, rounded */
#define __hexec_by_float(__NAME_, result)                                                                    \
    static inline __host__ __device__ __T __NAME_(__T a)                                                     \
    {                                                                                                        \
        const float x = __TO_FLOAT(a);                                                                       \
        return __FROM_FLOAT(result);                                                                         \
    }
__hexec_by_float(hexp, expf(x));
__hexec_by_float(hexp2, exp2f(x));
__hexec_by_float(hexp10, exp10f(x));
__hexec_by_float(hlog, logf(x));
__hexec_by_float(hlog2, log2f(x));
__hexec_by_float(hlog10, log10f(x));
__hexec_by_float(hsin, sinf(x));
__hexec_by_float(hcos, cosf(x));
__hexec_by_float(htanh, tanhf(x));
__hexec_by_float(hsqrt, sqrtf(x));
__hexec_by_float(hrsqrt, rsqrtf(x));
__hexec_by_float(hrcp, 1 / x);
__hexec_by_float(hfloor, floorf(x));
__hexec_by_float(hceil, ceilf(x));
__hexec_by_float(htrunc, truncf(x));
__hexec_by_float(hrint, rintf(x));
#undef __hexec_by_float

/* Comparisons: false for NaN; those that end in u are true for it. */
#define __hexec_compare(__NAME_, operation)                                                                  \
    static inline __host__ __device__ bool __NAME_(__T a, __T b)                                             \
    {                                                                                                        \
        return __TO_FLOAT(a) operation __TO_FLOAT(b);                                                        \
    }                                                                                                        \
    static inline __host__ __device__ bool __NAME_##u(__T a, __T b)                                          \
    {                                                                                                        \
        return __TO_FLOAT(a) operation __TO_FLOAT(b) || __TO_FLOAT(a) != __TO_FLOAT(a) ||                    \
               __TO_FLOAT(b) != __TO_FLOAT(b);                                                               \
    }
__hexec_compare(__heq, ==);
__hexec_compare(__hlt, <);
__hexec_compare(__hle, <=);
__hexec_compare(__hgt, >);
__hexec_compare(__hge, >=);
#undef __hexec_compare
static inline __host__ __device__ bool __hne(__T a, __T b)
{
    return __TO_FLOAT(a) < __TO_FLOAT(b) || __TO_FLOAT(a) > __TO_FLOAT(b);
}
static inline __host__ __device__ bool __hneu(__T a, __T b)
{
    return __TO_FLOAT(a) != __TO_FLOAT(b);
}
static inline __host__ __device__ bool __hisnan(__T a)
{
    return __TO_FLOAT(a) != __TO_FLOAT(a);
}
static inline __host__ __device__ int __hisinf(__T a)
{
    const float x = __TO_FLOAT(a);
    return x == __builtin_huge_valf() ? 1 : x == -__builtin_huge_valf() ? -1 : 0;
}

/* Operators */
static inline __host__ __device__ __T operator+(__T a, __T b)
{
    return __hadd(a, b);
}
static inline __host__ __device__ __T operator-(__T a, __T b)
{
    return __hsub(a, b);
}
static inline __host__ __device__ __T operator*(__T a, __T b)
{
    return __hmul(a, b);
}
static inline __host__ __device__ __T operator/(__T a, __T b)
{
    return __hdiv(a, b);
}
static inline __host__ __device__ __T operator-(__T a)
{
    return __hneg(a);
}
static inline __host__ __device__ __T operator+(__T a)
{
    return a;
}
static inline __host__ __device__ __T &operator+=(__T &a, __T b)
{
    return a = __hadd(a, b);
}
static inline __host__ __device__ __T &operator-=(__T &a, __T b)
{
    return a = __hsub(a, b);
}
static inline __host__ __device__ __T &operator*=(__T &a, __T b)
{
    return a = __hmul(a, b);
}
static inline __host__ __device__ __T &operator/=(__T &a, __T b)
{
    return a = __hdiv(a, b);
}
static inline __host__ __device__ __T &operator++(__T &a)
{
    return a = __hadd(a, __FROM_FLOAT(1));
}
static inline __host__ __device__ __T &operator--(__T &a)
{
    return a = __hsub(a, __FROM_FLOAT(1));
}
static inline __host__ __device__ __T operator++(__T &a, int)
{
    const __T before = a;
    a = __hadd(a, __FROM_FLOAT(1));
    return before;
}
static inline __host__ __device__ __T operator--(__T &a, int)
{
    const __T before = a;
    a = __hsub(a, __FROM_FLOAT(1));
    return before;
}
static inline __host__ __device__ bool operator==(__T a, __T b)
{
    return __heq(a, b);
}
static inline __host__ __device__ bool operator!=(__T a, __T b)
{
    return __hneu(a, b);
}
static inline __host__ __device__ bool operator<(__T a, __T b)
{
    return __hlt(a, b);
}
static inline __host__ __device__ bool operator<=(__T a, __T b)
{
    return __hle(a, b);
}
static inline __host__ __device__ bool operator>(__T a, __T b)
{
    return __hgt(a, b);
}
static inline __host__ __device__ bool operator>=(__T a, __T b)
{
    return __hge(a, b);
}

/* Pairs */
#define __hexec_pairs(__NAME_, scalar)                                                                       \
    static inline __host__ __device__ __T2 __NAME_(__T2 a, __T2 b)                                           \
    {                                                                                                        \
        return __T2(scalar(a.x, b.x), scalar(a.y, b.y));                                                     \
    }
__hexec_pairs(__hadd2, __hadd);
__hexec_pairs(__hsub2, __hsub);
__hexec_pairs(__hmul2, __hmul);
__hexec_pairs(__h2div, __hdiv);
__hexec_pairs(__hmin2, __hmin);
__hexec_pairs(__hmax2, __hmax);
__hexec_pairs(__hadd2_rn, __hadd);
__hexec_pairs(__hsub2_rn, __hsub);
__hexec_pairs(__hmul2_rn, __hmul);
__hexec_pairs(__hadd2_sat, __hadd_sat);
__hexec_pairs(__hsub2_sat, __hsub_sat);
__hexec_pairs(__hmul2_sat, __hmul_sat);
__hexec_pairs(__hmin2_nan, __hmin_nan);
__hexec_pairs(__hmax2_nan, __hmax_nan);
__hexec_pairs(operator+, __hadd);
__hexec_pairs(operator-, __hsub);
__hexec_pairs(operator*, __hmul);
__hexec_pairs(operator/, __hdiv);
#undef __hexec_pairs
#define __hexec_pair(__NAME_, scalar)                                                                        \
    static inline __host__ __device__ __T2 __NAME_(__T2 a)                                                   \
    {                                                                                                        \
        return __T2(scalar(a.x), scalar(a.y));                                                               \
    }
__hexec_pair(__hneg2, __hneg);
__hexec_pair(__habs2, __habs);
__hexec_pair(h2exp, hexp);
__hexec_pair(h2exp2, hexp2);
__hexec_pair(h2exp10, hexp10);
__hexec_pair(h2log, hlog);
__hexec_pair(h2log2, hlog2);
__hexec_pair(h2log10, hlog10);
__hexec_pair(h2sin, hsin);
__hexec_pair(h2cos, hcos);
__hexec_pair(h2tanh, htanh);
__hexec_pair(h2tanh_approx, htanh_approx);
__hexec_pair(h2sqrt, hsqrt);
__hexec_pair(h2rsqrt, hrsqrt);
__hexec_pair(h2rcp, hrcp);
__hexec_pair(h2floor, hfloor);
__hexec_pair(h2ceil, hceil);
__hexec_pair(h2trunc, htrunc);
__hexec_pair(h2rint, hrint);
__hexec_pair(operator-, __hneg);
#undef __hexec_pair
#define __hexec_triples(__NAME_, scalar)                                                                     \
    static inline __host__ __device__ __T2 __NAME_(__T2 a, __T2 b, __T2 c)                                   \
    {                                                                                                        \
        return __T2(scalar(a.x, b.x, c.x), scalar(a.y, b.y, c.y));                                           \
    }
__hexec_triples(__hfma2, __hfma);
__hexec_triples(__hfma2_sat, __hfma_sat);
__hexec_triples(__hfma2_relu, __hfma_relu);
#undef __hexec_triples
/* Complex numbers: a b + c */
static inline __host__ __device__ __T2 __hcmadd(__T2 a, __T2 b, __T2 c)
{
    return __T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
static inline __host__ __device__ __T2 &operator+=(__T2 &a, __T2 b)
{
    return a = __hadd2(a, b);
}
static inline __host__ __device__ __T2 &operator-=(__T2 &a, __T2 b)
{
    return a = __hsub2(a, b);
}
static inline __host__ __device__ __T2 &operator*=(__T2 &a, __T2 b)
{
    return a = __hmul2(a, b);
}
static inline __host__ __device__ __T2 &operator/=(__T2 &a, __T2 b)
{
    return a = __h2div(a, b);
}

/* Pairs compared: 1 or 0 for each, all bits of each, and whether it is so for both */
#define __hexec_compared(__NAME_, scalar, both)                                                              \
    static inline __host__ __device__ __T2 __NAME_(__T2 a, __T2 b)                                           \
    {                                                                                                        \
        return __T2(__FROM_FLOAT(scalar(a.x, b.x)), __FROM_FLOAT(scalar(a.y, b.y)));                         \
    }                                                                                                        \
    static inline __host__ __device__ unsigned int __NAME_##_mask(__T2 a, __T2 b)                            \
    {                                                                                                        \
        return (scalar(a.x, b.x) ? 0xffffu : 0) | (scalar(a.y, b.y) ? 0xffff0000u : 0);                      \
    }                                                                                                        \
    static inline __host__ __device__ bool both(__T2 a, __T2 b)                                              \
    {                                                                                                        \
        return scalar(a.x, b.x) && scalar(a.y, b.y);                                                         \
    }
__hexec_compared(__heq2, __heq, __hbeq2);
__hexec_compared(__hne2, __hne, __hbne2);
__hexec_compared(__hlt2, __hlt, __hblt2);
__hexec_compared(__hle2, __hle, __hble2);
__hexec_compared(__hgt2, __hgt, __hbgt2);
__hexec_compared(__hge2, __hge, __hbge2);
__hexec_compared(__hequ2, __hequ, __hbequ2);
__hexec_compared(__hneu2, __hneu, __hbneu2);
__hexec_compared(__hltu2, __hltu, __hbltu2);
__hexec_compared(__hleu2, __hleu, __hbleu2);
__hexec_compared(__hgtu2, __hgtu, __hbgtu2);
__hexec_compared(__hgeu2, __hgeu, __hbgeu2);
#undef __hexec_compared
static inline __host__ __device__ __T2 __hisnan2(__T2 a)
{
    return __T2(__FROM_FLOAT(__hisnan(a.x)), __FROM_FLOAT(__hisnan(a.y)));
}
static inline __host__ __device__ bool operator==(__T2 a, __T2 b)
{
    return __hbeq2(a, b);
}
static inline __host__ __device__ bool operator!=(__T2 a, __T2 b)
{
    return __hbneu2(a, b);
}

/* A pair is one access, of which each half is an atomic. */
static inline __device__ __T atomicAdd(__T *at, __T value)
{
    __T before;
    asm volatile("atom.add.noftz." __PTX " %0, [%1], %2;"
                 : "=h"(before.__x)
                 : "l"(at), "h"(value.__x)
                 : "memory");
    return before;
}
static inline __device__ __T2 atomicAdd(__T2 *at, __T2 value)
{
    unsigned int before;
    asm volatile("atom.add.noftz." __PTX "x2 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(at), "r"(__builtin_bit_cast(unsigned int, value))
                 : "memory");
    return __builtin_bit_cast(__T2, before);
}
