/* Division of __int128, and its conversions from and to floating point: what clang calls and GPUs do not
 * have. It is put before programs that name the type; the names are those of compiler-rt. Clang 16 and later
 * write the loops themselves. */
#pragma once
__HEXEC_HEADER_BEGIN

/* Division by shifts and subtractions; of numbers that fit into 64 bits the GPU's. */
static inline __device__ unsigned __int128 __hexec_divide(unsigned __int128 a, unsigned __int128 b,
                                                          unsigned __int128 *ret_rest)
{
    const unsigned long long high = (unsigned long long)(a >> 64), by = (unsigned long long)(b >> 64);
    if ((high | by) == 0) {
        *ret_rest = (unsigned long long)a % (unsigned long long)b;
        return (unsigned long long)a / (unsigned long long)b;
    }
    const int zeros = high ? __clzll((long long)high) : 64 + __clzll((long long)a);
    const int zeros_by = by ? __clzll((long long)by) : 64 + __clzll((long long)b);
    unsigned __int128 result = 0;
    if (zeros_by < 128) /* no division by zero, whose result is any */
        for (int at = zeros_by - zeros; at >= 0; at--) {
            const unsigned __int128 part = b << at;
            const bool fits = a >= part;
            a -= fits ? part : 0;
            result = result << 1 | fits;
        }
    *ret_rest = a;
    return result;
}
static inline __device__ unsigned __int128 __hexec_absolute(__int128 a)
{
    return a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
}

#define __hexec_called extern "C" __device__ __attribute__((used, noinline))

__hexec_called unsigned __int128 __udivti3(unsigned __int128 a, unsigned __int128 b)
{
    unsigned __int128 rest;
    return __hexec_divide(a, b, &rest);
}
__hexec_called unsigned __int128 __umodti3(unsigned __int128 a, unsigned __int128 b)
{
    unsigned __int128 rest;
    __hexec_divide(a, b, &rest);
    return rest;
}
__hexec_called __int128 __divti3(__int128 a, __int128 b)
{
    unsigned __int128 rest;
    const unsigned __int128 result = __hexec_divide(__hexec_absolute(a), __hexec_absolute(b), &rest);
    return (__int128)((a < 0) != (b < 0) ? -result : result);
}
__hexec_called __int128 __modti3(__int128 a, __int128 b)
{
    unsigned __int128 rest;
    __hexec_divide(__hexec_absolute(a), __hexec_absolute(b), &rest);
    return (__int128)(a < 0 ? -rest : rest);
}

/* The highest 64 bits, of which the lowest says whether there is anything below it, round as all bits do. */
static inline __device__ unsigned long long __hexec_highest(unsigned __int128 a, int *ret_shift)
{
    const unsigned long long high = (unsigned long long)(a >> 64);
    *ret_shift = high ? 64 - __clzll((long long)high) : 0;
    const unsigned long long kept = (unsigned long long)(a >> *ret_shift);
    return kept | ((unsigned __int128)kept << *ret_shift != a);
}
__hexec_called double __floatuntidf(unsigned __int128 a)
{
    int shift;
    const unsigned long long kept = __hexec_highest(a, &shift);
    return __ull2double_rn(kept) * __longlong_as_double((1023ll + shift) << 52);
}
__hexec_called float __floatuntisf(unsigned __int128 a)
{
    int shift;
    const unsigned long long kept = __hexec_highest(a, &shift);
    return __ull2float_rn(kept) * __int_as_float((127 + shift) << 23);
}
__hexec_called double __floattidf(__int128 a)
{
    const double value = __floatuntidf(__hexec_absolute(a));
    return a < 0 ? -value : value;
}
__hexec_called float __floattisf(__int128 a)
{
    const float value = __floatuntisf(__hexec_absolute(a));
    return a < 0 ? -value : value;
}
__hexec_called unsigned __int128 __fixunsdfti(double a)
{
    const unsigned long long high = __double2ull_rz(a * 0x1p-64);
    const unsigned long long low = __double2ull_rz(a - __ull2double_rn(high) * 0x1p64);
    return (unsigned __int128)high << 64 | low;
}
__hexec_called __int128 __fixdfti(double a)
{
    const unsigned __int128 value = __fixunsdfti(a < 0 ? -a : a);
    return (__int128)(a < 0 ? -value : value);
}
__hexec_called unsigned __int128 __fixunssfti(float a)
{
    return __fixunsdfti(a);
}
__hexec_called __int128 __fixsfti(float a)
{
    return __fixdfti(a);
}

#undef __hexec_called
__HEXEC_HEADER_END
