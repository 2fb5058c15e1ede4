/* __nv_bfloat16 and its functions, as in the CUDA toolkit's cuda_bf16.h. */
#pragma once
__HEXEC_HEADER_BEGIN

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x)
    {
    }
    __host__ __device__ __nv_bfloat16(float f)
    {
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__x) : "f"(f));
    }
    __host__ __device__ __nv_bfloat16(double d) : __nv_bfloat16((float)d)
    {
    }
    __host__ __device__ __nv_bfloat16(int i) : __nv_bfloat16((float)i)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned int i) : __nv_bfloat16((float)i)
    {
    }
    __host__ __device__ __nv_bfloat16(long i) : __nv_bfloat16((float)i)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned long i) : __nv_bfloat16((float)i)
    {
    }
    __host__ __device__ __nv_bfloat16(long long i) : __nv_bfloat16((float)i)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned long long i) : __nv_bfloat16((float)i)
    {
    }
    __host__ __device__ operator float() const
    {
        float f;
        f = __builtin_bit_cast(float, (unsigned int)__x << 16);
        return f;
    }
    __host__ __device__ operator __nv_bfloat16_raw() const
    {
        return {__x};
    }
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};
struct __align__(4) __nv_bfloat162
{
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b)
    {
    }
    __host__ __device__ __nv_bfloat162(__nv_bfloat162_raw r)
        : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y})
    {
    }
    __host__ __device__ operator __nv_bfloat162_raw() const
    {
        return {x.__x, y.__x};
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define __T    __nv_bfloat16
#define __T2   __nv_bfloat162
#define __RAW  __nv_bfloat16_raw
#define __ONE  bfloat16
#define __PAIR bfloat162
#include "half_conversions.h"
#undef __RAW
#undef __ONE
#undef __PAIR
#undef __T
#undef __T2
static inline __device__ __nv_bfloat16 __float2bfloat16_rz(float f)
{
    __nv_bfloat16 h;
    asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(h.__x) : "f"(f));
    return h;
}
/* Upwards and downwards: what rounding towards 0 cuts off counts on one side of 0. */
static inline __device__ __nv_bfloat16 __hexec_directed(float f, bool is_away)
{
    const unsigned int bits = __float_as_uint(f), more = is_away && (bits & 0xffff) && f - f == 0;
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)((bits >> 16) + more)});
}
static inline __device__ __nv_bfloat16 __float2bfloat16_ru(float f)
{
    return __hexec_directed(f, f > 0);
}
static inline __device__ __nv_bfloat16 __float2bfloat16_rd(float f)
{
    return __hexec_directed(f, f < 0);
}
static inline __host__ __device__ __nv_bfloat162 __bfloat16s2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
#define __hexec_from_bfloat(name, type)                                                                      \
    static inline __device__ type __bfloat162##name##_rn(__nv_bfloat16 h)                                    \
    {                                                                                                        \
        return __float2##name##_rn((float)h);                                                                \
    }                                                                                                        \
    static inline __device__ type __bfloat162##name##_rz(__nv_bfloat16 h)                                    \
    {                                                                                                        \
        return __float2##name##_rz((float)h);                                                                \
    }                                                                                                        \
    static inline __device__ type __bfloat162##name##_ru(__nv_bfloat16 h)                                    \
    {                                                                                                        \
        return __float2##name##_ru((float)h);                                                                \
    }                                                                                                        \
    static inline __device__ type __bfloat162##name##_rd(__nv_bfloat16 h)                                    \
    {                                                                                                        \
        return __float2##name##_rd((float)h);                                                                \
    }
__hexec_from_bfloat(int, int);
__hexec_from_bfloat(uint, unsigned int);
__hexec_from_bfloat(ll, long long);
__hexec_from_bfloat(ull, unsigned long long);
#undef __hexec_from_bfloat
static inline __device__ __nv_bfloat16 __int2bfloat16_rn(int i)
{
    return __nv_bfloat16((float)i);
}
static inline __device__ __nv_bfloat16 __uint2bfloat16_rn(unsigned int i)
{
    return __nv_bfloat16((float)i);
}

#define __T             __nv_bfloat16
#define __T2            __nv_bfloat162
#define __PTX           "bf16"
#define __FROM_FLOAT(f) __nv_bfloat16((float)(f))
#define __TO_FLOAT(h)   ((float)(h))
#include "half_operations.h"
#undef __T
#undef __T2
#undef __PTX
#undef __FROM_FLOAT
#undef __TO_FLOAT
__HEXEC_HEADER_END
