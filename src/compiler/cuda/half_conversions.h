/* Conversions between floats, __half or __nv_bfloat16, and their pairs, which differ in names and types only:
 * cuda_fp16.h and cuda_bf16.h include this with T and T2 (the types), RAW (the bits as a struct), ONE and
 * PAIR (their parts of names). */

#define __hexec_joined(a, b, c) a##b##c
#define __hexec_name(a, b, c)   __hexec_joined(a, b, c)
#define __hexec_function(result, a, b, c, parameters, value)                                                 \
    static inline __host__ __device__ result __hexec_name(a, b, c) parameters                                \
    {                                                                                                        \
        return value;                                                                                        \
    }
__hexec_function(__T, __float2, ONE, , (float f), __T(f));
__hexec_function(__T, __float2, ONE, _rn, (float f), __T(f));
__hexec_function(__T, __double2, ONE, , (double d), __T(d));
__hexec_function(float, __, ONE, 2float, (__T h), (float)h);
__hexec_function(T2, __float2, PAIR, _rn, (float f), T2(__T(f), __T(f)));
__hexec_function(T2, __floats2, PAIR, _rn, (float a, float b), T2(__T(a), __T(b)));
__hexec_function(T2, __float22, PAIR, _rn, (float2 v), T2(__T(v.x), __T(v.y)));
__hexec_function(float2, __, PAIR, 2float2, (T2 v), make_float2((float)v.x, (float)v.y));
__hexec_function(float, __low, 2, float, (T2 v), (float)v.x);
__hexec_function(float, __high, 2, float, (T2 v), (float)v.y);
__hexec_function(__T, __low2, ONE, , (T2 v), v.x);
__hexec_function(__T, __high2, ONE, , (T2 v), v.y);
__hexec_function(T2, __, ONE, __hexec_name(2, PAIR, ), (__T a), T2(a, a));
__hexec_function(T2, __halves2, PAIR, , (__T a, __T b), T2(a, b));
__hexec_function(T2, make_, PAIR, , (__T a, __T b), T2(a, b));
__hexec_function(T2, __lowhigh, 2, highlow, (T2 v), T2(v.y, v.x));
__hexec_function(T2, __low2, PAIR, , (T2 v), T2(v.x, v.x));
__hexec_function(T2, __high2, PAIR, , (T2 v), T2(v.y, v.y));
__hexec_function(T2, __lows2, PAIR, , (T2 a, T2 b), T2(a.x, b.x));
__hexec_function(T2, __highs2, PAIR, , (T2 a, T2 b), T2(a.y, b.y));
__hexec_function(unsigned short, __, ONE, _as_ushort, (__T h), h.__x);
__hexec_function(short, __, ONE, _as_short, (__T h), (short)h.__x);
__hexec_function(__T, __ushort_as_, ONE, , (unsigned short bits), __T(RAW{bits}));
__hexec_function(__T, __short_as_, ONE, , (short bits), __T(RAW{(unsigned short)bits}));
#undef __hexec_function
#undef __hexec_name
#undef __hexec_joined
