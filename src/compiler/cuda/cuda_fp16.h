/* __half and its functions, as in the CUDA toolkit's cuda_fp16.h. */
#pragma once

struct __half_raw {
    unsigned short x;
};
struct __half {
    unsigned short __x;
    __half() = default;
    __host__ __device__ __half(__half_raw r) : __x(r.x)
    {
    }
    __host__ __device__ __half(float f)
    {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__x) : "f"(f));
    }
    __host__ __device__ __half(double d) : __half((float)d)
    {
    }
    __host__ __device__ __half(int i) : __half((float)i)
    {
    }
    __host__ __device__ __half(unsigned int i) : __half((float)i)
    {
    }
    __host__ __device__ __half(long long i) : __half((float)i)
    {
    }
    __host__ __device__ operator float() const
    {
        float f;
        asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(__x));
        return f;
    }
    __host__ __device__ operator __half_raw() const
    {
        return {__x};
    }
};
struct __align__(4) __half2
{
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b)
    {
    }
};
typedef __half half;
typedef __half2 half2;
static inline __host__ __device__ __half __float2half(float f)
{
    return __half(f);
}
static inline __host__ __device__ __half __float2half_rn(float f)
{
    return __half(f);
}
static inline __device__ __half __float2half_rz(float f)
{
    __half h;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h.__x) : "f"(f));
    return h;
}
static inline __host__ __device__ __half __double2half(double d)
{
    return __half((float)d);
}
static inline __host__ __device__ float __half2float(__half h)
{
    return (float)h;
}
static inline __host__ __device__ __half2 __float2half2_rn(float f)
{
    return __half2(__half(f), __half(f));
}
static inline __host__ __device__ __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__half(a), __half(b));
}
static inline __host__ __device__ __half2 __float22half2_rn(float2 v)
{
    return __half2(__half(v.x), __half(v.y));
}
static inline __host__ __device__ float2 __half22float2(__half2 v)
{
    return make_float2((float)v.x, (float)v.y);
}
static inline __host__ __device__ float __low2float(__half2 v)
{
    return (float)v.x;
}
static inline __host__ __device__ float __high2float(__half2 v)
{
    return (float)v.y;
}
static inline __host__ __device__ __half __low2half(__half2 v)
{
    return v.x;
}
static inline __host__ __device__ __half __high2half(__half2 v)
{
    return v.y;
}
static inline __host__ __device__ __half2 __half2half2(__half a)
{
    return __half2(a, a);
}
static inline __host__ __device__ __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
static inline __host__ __device__ __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
static inline __host__ __device__ __half2 __lowhigh2highlow(__half2 v)
{
    return __half2(v.y, v.x);
}
static inline __host__ __device__ unsigned short __half_as_ushort(__half h)
{
    return h.__x;
}
static inline __host__ __device__ short __half_as_short(__half h)
{
    return (short)h.__x;
}
static inline __host__ __device__ __half __ushort_as_half(unsigned short bits)
{
    return __half(__half_raw{bits});
}
static inline __host__ __device__ __half __short_as_half(short bits)
{
    return __half(__half_raw{(unsigned short)bits});
}
static inline __device__ int __half2int_rn(__half h)
{
    return __float2int_rn((float)h);
}
static inline __device__ int __half2int_rz(__half h)
{
    return __float2int_rz((float)h);
}
static inline __device__ unsigned int __half2uint_rz(__half h)
{
    return __float2uint_rz((float)h);
}
static inline __device__ __half __int2half_rn(int i)
{
    return __half((float)i);
}
static inline __device__ __half __uint2half_rn(unsigned int i)
{
    return __half((float)i);
}

#define T             __half
#define T2            __half2
#define PTX           "f16"
#define FROM_FLOAT(f) __half((float)(f))
#define TO_FLOAT(h)   ((float)(h))
#include "half_operations.h"
#undef T
#undef T2
#undef PTX
#undef FROM_FLOAT
#undef TO_FLOAT
