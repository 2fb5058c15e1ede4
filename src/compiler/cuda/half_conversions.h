/* Conversions between floats, __half or __nv_bfloat16, and their pairs, which differ in names and types only:
 * cuda_fp16.h and cuda_bf16.h include this with T and __T2 (the types), __RAW (the bits as a struct), __ONE
 * and
 * __PAIR (their parts of names). */

#define __hexec_joined(a, b, c) a##b##c
#define __hexec_name(a, b, c)   __hexec_joined(a, b, c)
#define __hexec_function(result, a, b, c, parameters, value)                                                 \
    static inline __host__ __device__ result __hexec_name(a, b, c) parameters                                \
    {                                                                                                        \
        return value;                                                                                        \
    }
__hexec_function(__T, __float2, __ONE, , (float f), __T(f));
__hexec_function(__T, __float2, __ONE, _rn, (float f), __T(f));
__hexec_function(__T, __double2, __ONE, , (double d), __T(d));
__hexec_function(float, __, __ONE, 2float, (__T h), (float)h);
__hexec_function(__T2, __float2, __PAIR, _rn, (float f), __T2(__T(f), __T(f)));
__hexec_function(__T2, __floats2, __PAIR, _rn, (float a, float b), __T2(__T(a), __T(b)));
__hexec_function(__T2, __float22, __PAIR, _rn, (float2 v), __T2(__T(v.x), __T(v.y)));
__hexec_function(float2, __, __PAIR, 2float2, (__T2 v), make_float2((float)v.x, (float)v.y));
__hexec_function(float, __low, 2, float, (__T2 v), (float)v.x);
__hexec_function(float, __high, 2, float, (__T2 v), (float)v.y);
__hexec_function(__T, __low2, __ONE, , (__T2 v), v.x);
__hexec_function(__T, __high2, __ONE, , (__T2 v), v.y);
__hexec_function(__T2, __, __ONE, __hexec_name(2, __PAIR, ), (__T a), __T2(a, a));
__hexec_function(__T2, __halves2, __PAIR, , (__T a, __T b), __T2(a, b));
__hexec_function(__T2, make_, __PAIR, , (__T a, __T b), __T2(a, b));
__hexec_function(__T2, __lowhigh, 2, highlow, (__T2 v), __T2(v.y, v.x));
__hexec_function(__T2, __low2, __PAIR, , (__T2 v), __T2(v.x, v.x));
__hexec_function(__T2, __high2, __PAIR, , (__T2 v), __T2(v.y, v.y));
__hexec_function(__T2, __lows2, __PAIR, , (__T2 a, __T2 b), __T2(a.x, b.x));
__hexec_function(__T2, __highs2, __PAIR, , (__T2 a, __T2 b), __T2(a.y, b.y));
__hexec_function(unsigned short, __, __ONE, _as_ushort, (__T h), h.__x);
__hexec_function(short, __, __ONE, _as_short, (__T h), (short)h.__x);
__hexec_function(__T, __ushort_as_, __ONE, , (unsigned short bits), __T(__RAW{bits}));
__hexec_function(__T, __short_as_, __ONE, , (short bits), __T(__RAW{(unsigned short)bits}));
#undef __hexec_function
#undef __hexec_name
#undef __hexec_joined
