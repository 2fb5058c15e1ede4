/* __half and its functions, as in the CUDA toolkit's cuda_fp16.h. */
#pragma once
__HEXEC_HEADER_BEGIN

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
    __host__ __device__ __half(double d)
    {
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__x) : "d"(d));
    }
    __host__ __device__ __half(int i) : __half((float)i)
    {
    }
    __host__ __device__ __half(unsigned int i) : __half((float)i)
    {
    }
    __host__ __device__ __half(long i) : __half((float)i)
    {
    }
    __host__ __device__ __half(unsigned long i) : __half((float)i)
    {
    }
    __host__ __device__ __half(long long i) : __half((float)i)
    {
    }
    __host__ __device__ __half(unsigned long long i) : __half((float)i)
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
struct __half2_raw {
    unsigned short x, y;
};
struct __align__(4) __half2
{
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b)
    {
    }
    __host__ __device__ __half2(__half2_raw r) : x(__half_raw{r.x}), y(__half_raw{r.y})
    {
    }
    __host__ __device__ operator __half2_raw() const
    {
        return {x.__x, y.__x};
    }
};
typedef __half half;
typedef __half2 half2;
#define __T    __half
#define __T2   __half2
#define __RAW  __half_raw
#define __ONE  half
#define __PAIR half2
#include "half_conversions.h"
#undef __RAW
#undef __ONE
#undef __PAIR
#undef __T
#undef __T2

/* In each direction of rounding: to half, and to integers */
#define __hexec_to_half(__NAME, type, letter, ptx)                                                           \
    static inline __device__ __half __NAME(type value)                                                       \
    {                                                                                                        \
        __half h;                                                                                            \
        asm("cvt." ptx " %0, %1;" : "=h"(h.__x) : letter(value));                                            \
        return h;                                                                                            \
    }
#define __hexec_from_half(__NAME, type, letter, ptx)                                                         \
    static inline __device__ type __NAME(__half h)                                                           \
    {                                                                                                        \
        type value;                                                                                          \
        asm("cvt." ptx " %0, %1;" : "=" letter(value) : "h"(h.__x));                                         \
        return value;                                                                                        \
    }
#define __hexec_rounded(name, type, letter, kind)                                                            \
    __hexec_to_half(__##name##2half_rn, type, letter, "rn.f16." kind);                                       \
    __hexec_to_half(__##name##2half_rz, type, letter, "rz.f16." kind);                                       \
    __hexec_to_half(__##name##2half_ru, type, letter, "rp.f16." kind);                                       \
    __hexec_to_half(__##name##2half_rd, type, letter, "rm.f16." kind);                                       \
    __hexec_from_half(__half2##name##_rn, type, letter, "rni." kind ".f16");                                 \
    __hexec_from_half(__half2##name##_rz, type, letter, "rzi." kind ".f16");                                 \
    __hexec_from_half(__half2##name##_ru, type, letter, "rpi." kind ".f16");                                 \
    __hexec_from_half(__half2##name##_rd, type, letter, "rmi." kind ".f16");
__hexec_to_half(__float2half_rz, float, "f", "rz.f16.f32");
__hexec_to_half(__float2half_ru, float, "f", "rp.f16.f32");
__hexec_to_half(__float2half_rd, float, "f", "rm.f16.f32");
__hexec_rounded(short, short, "h", "s16");
__hexec_rounded(ushort, unsigned short, "h", "u16");
__hexec_rounded(int, int, "r", "s32");
__hexec_rounded(uint, unsigned int, "r", "u32");
__hexec_rounded(ll, long long, "l", "s64");
__hexec_rounded(ull, unsigned long long, "l", "u64");
#undef __hexec_to_half
#undef __hexec_from_half
#undef __hexec_rounded
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3c00)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7fff)

#define __T             __half
#define __T2            __half2
#define __PTX           "f16"
#define __FROM_FLOAT(f) __half((float)(f))
#define __TO_FLOAT(h)   ((float)(h))
#include "half_operations.h"
#undef __T
#undef __T2
#undef __PTX
#undef __FROM_FLOAT
#undef __TO_FLOAT
__HEXEC_HEADER_END
