/* Operations of __half and __nv_bfloat16, which differ in names and types only: cuda_fp16.h and cuda_bf16.h
 * include this with T and T2 (the types), PTX ("f16"), FROM_FLOAT and TO_FLOAT defined. */

#define __hexec_one(NAME_, text)                                                                             \
    static inline __device__ T NAME_(T a)                                                                    \
    {                                                                                                        \
        T d;                                                                                                 \
        asm(text " %0, %1;" : "=h"(d.__x) : "h"(a.__x));                                                     \
        return d;                                                                                            \
    }
#define __hexec_two(NAME_, text)                                                                             \
    static inline __device__ T NAME_(T a, T b)                                                               \
    {                                                                                                        \
        T d;                                                                                                 \
        asm(text " %0, %1, %2;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x));                                     \
        return d;                                                                                            \
    }
#define __hexec_three(NAME_, text)                                                                           \
    static inline __device__ T NAME_(T a, T b, T c)                                                          \
    {                                                                                                        \
        T d;                                                                                                 \
        asm(text " %0, %1, %2, %3;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                     \
        return d;                                                                                            \
    }
__hexec_two(__hadd, "add.rn." PTX);
__hexec_two(__hsub, "sub.rn." PTX);
__hexec_two(__hmul, "mul.rn." PTX);
__hexec_two(__hadd_rn, "add.rn." PTX);
__hexec_two(__hsub_rn, "sub.rn." PTX);
__hexec_two(__hmul_rn, "mul.rn." PTX);
__hexec_three(__hfma, "fma.rn." PTX);
__hexec_one(__hneg, "neg." PTX);
__hexec_one(__habs, "abs." PTX);
__hexec_two(__hmin, "min." PTX);
__hexec_two(__hmax, "max." PTX);
__hexec_two(__hmin_nan, "min.NaN." PTX);
__hexec_two(__hmax_nan, "max.NaN." PTX);
__hexec_one(htanh_approx, "tanh.approx." PTX);
#undef __hexec_one
#undef __hexec_two
#undef __hexec_three
static inline __device__ T __hdiv(T a, T b)
{
    return FROM_FLOAT(TO_FLOAT(a) / TO_FLOAT(b));
}
static inline __device__ T __hadd_sat(T a, T b)
{
    return FROM_FLOAT(__saturatef(TO_FLOAT(__hadd(a, b))));
}
static inline __device__ T __hmul_sat(T a, T b)
{
    return FROM_FLOAT(__saturatef(TO_FLOAT(__hmul(a, b))));
}
static inline __device__ T __hfma_sat(T a, T b, T c)
{
    return FROM_FLOAT(__saturatef(TO_FLOAT(__hfma(a, b, c))));
}
static inline __device__ T __hfma_relu(T a, T b, T c)
{
    return __hmax(__hfma(a, b, c), FROM_FLOAT(0));
}

static inline __device__ T hexp(T a)
{
    return FROM_FLOAT(expf(TO_FLOAT(a)));
}
static inline __device__ T hexp2(T a)
{
    return FROM_FLOAT(exp2f(TO_FLOAT(a)));
}
static inline __device__ T hexp10(T a)
{
    return FROM_FLOAT(exp10f(TO_FLOAT(a)));
}
static inline __device__ T hlog(T a)
{
    return FROM_FLOAT(logf(TO_FLOAT(a)));
}
static inline __device__ T hlog2(T a)
{
    return FROM_FLOAT(log2f(TO_FLOAT(a)));
}
static inline __device__ T hlog10(T a)
{
    return FROM_FLOAT(log10f(TO_FLOAT(a)));
}
static inline __device__ T hsin(T a)
{
    return FROM_FLOAT(sinf(TO_FLOAT(a)));
}
static inline __device__ T hcos(T a)
{
    return FROM_FLOAT(cosf(TO_FLOAT(a)));
}
static inline __device__ T htanh(T a)
{
    return FROM_FLOAT(tanhf(TO_FLOAT(a)));
}
static inline __device__ T hsqrt(T a)
{
    return FROM_FLOAT(sqrtf(TO_FLOAT(a)));
}
static inline __device__ T hrsqrt(T a)
{
    return FROM_FLOAT(rsqrtf(TO_FLOAT(a)));
}
static inline __device__ T hrcp(T a)
{
    return FROM_FLOAT(1 / TO_FLOAT(a));
}
static inline __device__ T hfloor(T a)
{
    return FROM_FLOAT(floorf(TO_FLOAT(a)));
}
static inline __device__ T hceil(T a)
{
    return FROM_FLOAT(ceilf(TO_FLOAT(a)));
}
static inline __device__ T htrunc(T a)
{
    return FROM_FLOAT(truncf(TO_FLOAT(a)));
}
static inline __device__ T hrint(T a)
{
    return FROM_FLOAT(rintf(TO_FLOAT(a)));
}

/* Comparisons: false for NaN; those that end in u are true for it. */
#define __hexec_compare(NAME_, operation)                                                                    \
    static inline __device__ bool NAME_(T a, T b)                                                            \
    {                                                                                                        \
        return TO_FLOAT(a) operation TO_FLOAT(b);                                                            \
    }                                                                                                        \
    static inline __device__ bool NAME_##u(T a, T b)                                                         \
    {                                                                                                        \
        return TO_FLOAT(a) operation TO_FLOAT(b) || TO_FLOAT(a) != TO_FLOAT(a) ||                            \
               TO_FLOAT(b) != TO_FLOAT(b);                                                                   \
    }
__hexec_compare(__heq, ==);
__hexec_compare(__hlt, <);
__hexec_compare(__hle, <=);
__hexec_compare(__hgt, >);
__hexec_compare(__hge, >=);
#undef __hexec_compare
static inline __device__ bool __hne(T a, T b)
{
    return TO_FLOAT(a) < TO_FLOAT(b) || TO_FLOAT(a) > TO_FLOAT(b);
}
static inline __device__ bool __hneu(T a, T b)
{
    return TO_FLOAT(a) != TO_FLOAT(b);
}
static inline __device__ bool __hisnan(T a)
{
    return TO_FLOAT(a) != TO_FLOAT(a);
}
static inline __device__ int __hisinf(T a)
{
    const float x = TO_FLOAT(a);
    return x == __builtin_huge_valf() ? 1 : x == -__builtin_huge_valf() ? -1 : 0;
}

/* Operators */
static inline __device__ T operator+(T a, T b)
{
    return __hadd(a, b);
}
static inline __device__ T operator-(T a, T b)
{
    return __hsub(a, b);
}
static inline __device__ T operator*(T a, T b)
{
    return __hmul(a, b);
}
static inline __device__ T operator/(T a, T b)
{
    return __hdiv(a, b);
}
static inline __device__ T operator-(T a)
{
    return __hneg(a);
}
static inline __device__ T operator+(T a)
{
    return a;
}
static inline __device__ T &operator+=(T &a, T b)
{
    return a = __hadd(a, b);
}
static inline __device__ T &operator-=(T &a, T b)
{
    return a = __hsub(a, b);
}
static inline __device__ T &operator*=(T &a, T b)
{
    return a = __hmul(a, b);
}
static inline __device__ T &operator/=(T &a, T b)
{
    return a = __hdiv(a, b);
}
static inline __device__ bool operator==(T a, T b)
{
    return __heq(a, b);
}
static inline __device__ bool operator!=(T a, T b)
{
    return __hneu(a, b);
}
static inline __device__ bool operator<(T a, T b)
{
    return __hlt(a, b);
}
static inline __device__ bool operator<=(T a, T b)
{
    return __hle(a, b);
}
static inline __device__ bool operator>(T a, T b)
{
    return __hgt(a, b);
}
static inline __device__ bool operator>=(T a, T b)
{
    return __hge(a, b);
}

/* Pairs */
#define __hexec_pairs(NAME_, scalar)                                                                         \
    static inline __device__ T2 NAME_(T2 a, T2 b)                                                            \
    {                                                                                                        \
        return T2(scalar(a.x, b.x), scalar(a.y, b.y));                                                       \
    }
__hexec_pairs(__hadd2, __hadd);
__hexec_pairs(__hsub2, __hsub);
__hexec_pairs(__hmul2, __hmul);
__hexec_pairs(__h2div, __hdiv);
__hexec_pairs(__hmin2, __hmin);
__hexec_pairs(__hmax2, __hmax);
__hexec_pairs(operator+, __hadd);
__hexec_pairs(operator-, __hsub);
__hexec_pairs(operator*, __hmul);
__hexec_pairs(operator/, __hdiv);
#undef __hexec_pairs
static inline __device__ T2 __hfma2(T2 a, T2 b, T2 c)
{
    return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
static inline __device__ T2 __hneg2(T2 a)
{
    return T2(__hneg(a.x), __hneg(a.y));
}
static inline __device__ T2 __habs2(T2 a)
{
    return T2(__habs(a.x), __habs(a.y));
}
static inline __device__ T2 h2exp(T2 a)
{
    return T2(hexp(a.x), hexp(a.y));
}
static inline __device__ T2 h2log(T2 a)
{
    return T2(hlog(a.x), hlog(a.y));
}
static inline __device__ T2 h2sqrt(T2 a)
{
    return T2(hsqrt(a.x), hsqrt(a.y));
}
static inline __device__ T2 h2rsqrt(T2 a)
{
    return T2(hrsqrt(a.x), hrsqrt(a.y));
}
static inline __device__ T2 h2rcp(T2 a)
{
    return T2(hrcp(a.x), hrcp(a.y));
}
static inline __device__ T2 &operator+=(T2 &a, T2 b)
{
    return a = __hadd2(a, b);
}
static inline __device__ T2 &operator-=(T2 &a, T2 b)
{
    return a = __hsub2(a, b);
}
static inline __device__ T2 &operator*=(T2 &a, T2 b)
{
    return a = __hmul2(a, b);
}
static inline __device__ bool __hbeq2(T2 a, T2 b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}

/* As long as another thread has changed the word around it, again. */
static inline __device__ T atomicAdd(T *at, T value)
{
    unsigned int *word = (unsigned int *)((size_t)at & ~(size_t)3), shift = ((size_t)at & 2) * 8, old = *word,
                 seen;
    T before, after;
    do {
        seen = old;
        before.__x = (unsigned short)(seen >> shift);
        after = __hadd(before, value);
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (unsigned int)after.__x << shift);
    } while (old != seen);
    return before;
}
static inline __device__ T2 atomicAdd(T2 *at, T2 value)
{
    return T2(atomicAdd(&at->x, value.x), atomicAdd(&at->y, value.y));
}
