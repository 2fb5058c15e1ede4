/* Floats of 8 bits: __nv_fp8_e4m3, __nv_fp8_e5m2, their pairs and fours, and conversions, as in the CUDA
 * toolkit's cuda_fp8.h. */
#pragma once
__HEXEC_HEADER_BEGIN
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* Without saturation what rounds to more than the greatest number is NaN, or infinity of e5m2: from half way
 * to the number that would be next, which of e4m3 is still the greatest one (it is even). */
__host__ __device__ inline __nv_fp8_storage_t __hexec_to_fp8(float f, __nv_saturation_t saturation,
                                                             __nv_fp8_interpretation_t kind)
{
    unsigned short pair;
    if (kind == __NV_E4M3)
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(pair) : "f"(f));
    else
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %1;" : "=h"(pair) : "f"(f));
    const unsigned bits = pair & 0xffu, sign = bits & 0x80u;
    const float magnitude = __builtin_fabsf(f);
    if (saturation == __NV_NOSAT && kind == __NV_E4M3 && magnitude > 464.0f)
        return (__nv_fp8_storage_t)(sign | 0x7fu);
    if (saturation == __NV_NOSAT && kind == __NV_E5M2 && magnitude >= 61440.0f)
        return (__nv_fp8_storage_t)(sign | 0x7cu);
    return (__nv_fp8_storage_t)bits;
}
/* Rounded to odd, so that rounding once more is as if it had been once. */
__host__ __device__ inline float __hexec_to_odd(double d)
{
    float f;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(f) : "d"(d));
    return (double)f == d || d != d ? f : __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f) | 1u);
}
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturation,
                                                                    __nv_fp8_interpretation_t kind)
{
    return __hexec_to_fp8(f, saturation, kind);
}
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t saturation,
                                                                     __nv_fp8_interpretation_t kind)
{
    return __hexec_to_fp8(__hexec_to_odd(d), saturation, kind);
}
__host__ __device__ inline __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(__half_raw h, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind)
{
    return __hexec_to_fp8((float)__half(h), saturation, kind);
}
__host__ __device__ inline __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw b, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind)
{
    return __hexec_to_fp8((float)__nv_bfloat16(b), saturation, kind);
}
#define __hexec_pair(name, type, single)                                                                     \
    __host__ __device__ inline __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(                              \
        type v, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind)                                \
    {                                                                                                        \
        return (__nv_fp8x2_storage_t)(single(v.y, saturation, kind) << 8 | single(v.x, saturation, kind));   \
    }
__hexec_pair(float2, float2, __nv_cvt_float_to_fp8);
__hexec_pair(double2, double2, __nv_cvt_double_to_fp8);
#undef __hexec_pair

__host__ __device__ inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                                  __nv_fp8_interpretation_t kind)
{
    unsigned pair;
    if (kind == __NV_E4M3)
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(x));
    else
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(x));
    return {(unsigned short)pair, (unsigned short)(pair >> 16)};
}
__host__ __device__ inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                              __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8x2_to_halfraw2(x, kind).x};
}

#define __hexec_fp8(kind, KIND)                                                                              \
    struct __nv_fp8_##kind {                                                                                 \
        __nv_fp8_storage_t __x;                                                                              \
        __nv_fp8_##kind() = default;                                                                         \
        __host__ __device__ explicit __nv_fp8_##kind(float f) : __x(__hexec_to_fp8(f, __NV_SATFINITE, KIND)) \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8_##kind(double d) : __nv_fp8_##kind(__hexec_to_odd(d))          \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8_##kind(__half h) : __nv_fp8_##kind((float)h)                   \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8_##kind(__nv_bfloat16 b) : __nv_fp8_##kind((float)b)            \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8_##kind(int i) : __nv_fp8_##kind((float)i)                      \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8_##kind(unsigned i) : __nv_fp8_##kind((float)i)                 \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit operator __half() const                                                 \
        {                                                                                                    \
            return __half(__nv_cvt_fp8_to_halfraw(__x, KIND));                                               \
        }                                                                                                    \
        __host__ __device__ explicit operator float() const                                                  \
        {                                                                                                    \
            return (float)__half(*this);                                                                     \
        }                                                                                                    \
        __host__ __device__ explicit operator double() const                                                 \
        {                                                                                                    \
            return (float)*this;                                                                             \
        }                                                                                                    \
        __host__ __device__ explicit operator __nv_bfloat16() const                                          \
        {                                                                                                    \
            return __nv_bfloat16((float)*this);                                                              \
        }                                                                                                    \
        __host__ __device__ explicit operator bool() const                                                   \
        {                                                                                                    \
            return (__x & 0x7fu) != 0;                                                                       \
        }                                                                                                    \
    };
#define __hexec_fp8_vectors(kind, KIND)                                                                      \
    struct __align__(2) __nv_fp8x2_##kind                                                                    \
    {                                                                                                        \
        __nv_fp8x2_storage_t __x;                                                                            \
        __nv_fp8x2_##kind() = default;                                                                       \
        __host__ __device__ explicit __nv_fp8x2_##kind(float2 f)                                             \
            : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, KIND))                                         \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8x2_##kind(__half2 h)                                            \
            : __nv_fp8x2_##kind(make_float2((float)h.x, (float)h.y))                                         \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8x2_##kind(double2 d)                                            \
            : __x(__nv_cvt_double2_to_fp8x2(d, __NV_SATFINITE, KIND))                                        \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8x2_##kind(__nv_bfloat162 b)                                     \
            : __nv_fp8x2_##kind(make_float2((float)b.x, (float)b.y))                                         \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit operator __half2() const                                                \
        {                                                                                                    \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, KIND));                                           \
        }                                                                                                    \
        __host__ __device__ explicit operator float2() const                                                 \
        {                                                                                                    \
            const __half2 pair = __half2(*this);                                                             \
            return make_float2((float)pair.x, (float)pair.y);                                                \
        }                                                                                                    \
    };                                                                                                       \
    struct __align__(4) __nv_fp8x4_##kind                                                                    \
    {                                                                                                        \
        __nv_fp8x4_storage_t __x;                                                                            \
        __nv_fp8x4_##kind() = default;                                                                       \
        __host__ __device__ explicit __nv_fp8x4_##kind(float4 f)                                             \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(f.x, f.y), __NV_SATFINITE, KIND) |                    \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.z, f.w), __NV_SATFINITE, KIND) << 16)     \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8x4_##kind(double4 d)                                            \
            : __x(__nv_cvt_double2_to_fp8x2(make_double2(d.x, d.y), __NV_SATFINITE, KIND) |                  \
                  (unsigned)__nv_cvt_double2_to_fp8x2(make_double2(d.z, d.w), __NV_SATFINITE, KIND) << 16)   \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8x4_##kind(__half2 a, __half2 b)                                 \
            : __nv_fp8x4_##kind(make_float4((float)a.x, (float)a.y, (float)b.x, (float)b.y))                 \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit __nv_fp8x4_##kind(__nv_bfloat162 a, __nv_bfloat162 b)                   \
            : __nv_fp8x4_##kind(make_float4((float)a.x, (float)a.y, (float)b.x, (float)b.y))                 \
        {                                                                                                    \
        }                                                                                                    \
        __host__ __device__ explicit operator float4() const                                                 \
        {                                                                                                    \
            const __half2 low(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, KIND)),                  \
                high(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), KIND));                   \
            return make_float4((float)low.x, (float)low.y, (float)high.x, (float)high.y);                    \
        }                                                                                                    \
    };
__hexec_fp8(e4m3, __NV_E4M3);
__hexec_fp8(e5m2, __NV_E5M2);
__hexec_fp8_vectors(e4m3, __NV_E4M3);
__hexec_fp8_vectors(e5m2, __NV_E5M2);
#undef __hexec_fp8_vectors
#undef __hexec_fp8
__HEXEC_HEADER_END
