/* numeric_limits: C++'s own, or, where a program has no library (cuda_rtc.h), one of clang's constants. */
#pragma once
#include <cuda_traits.h>
#ifndef __CUDACC_RTC__
#include <limits>
#else
__HEXEC_HEADER_BEGIN
namespace __hexec_std
{
enum float_round_style {
    round_indeterminate = -1,
    round_toward_zero,
    round_to_nearest,
    round_toward_infinity,
    round_toward_neg_infinity
};
struct __hexec_no_limits {
    static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false,
                          is_iec559 = false, is_bounded = false, is_modulo = false, has_infinity = false,
                          has_quiet_NaN = false, has_signaling_NaN = false, traps = false,
                          tinyness_before = false;
    static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 0, min_exponent = 0,
                         min_exponent10 = 0, max_exponent = 0, max_exponent10 = 0;
    static constexpr float_round_style round_style = round_toward_zero;
};
template <typename __T> struct numeric_limits : __hexec_no_limits {
};
template <typename __T> struct numeric_limits<const __T> : numeric_limits<__T> {
};
template <typename __T> struct numeric_limits<volatile __T> : numeric_limits<__T> {
};
#define __hexec_limit(NAME, value)                                                                           \
    __host__ __device__ static constexpr __T NAME() noexcept                                                 \
    {                                                                                                        \
        return value;                                                                                        \
    }
template <typename __T> struct __hexec_integer_limits : __hexec_no_limits {
    static constexpr bool is_specialized = true, is_signed = __T(-1) < __T(0), is_integer = true,
                          is_exact = true, is_bounded = true, is_modulo = !is_signed;
    static constexpr int digits = __is_same(__T, bool) ? 1 : (int)sizeof(__T) * 8 - is_signed,
                         digits10 = digits * 643L / 2136, radix = 2;
    __hexec_limit(max, (__is_same(__T, bool) ? __T(1)
                        : is_signed          ? __T(((__T(1) << (digits - 1)) - 1) * 2 + 1)
                                             : __T(~__T(0))));
    __hexec_limit(min, is_signed ? __T(-max() - 1) : __T(0));
    __hexec_limit(lowest, min());
    __hexec_limit(epsilon, 0);
    __hexec_limit(round_error, 0);
    __hexec_limit(denorm_min, 0);
    __hexec_limit(infinity, 0);
    __hexec_limit(quiet_NaN, 0);
    __hexec_limit(signaling_NaN, 0);
};
#define __hexec_integer(type)                                                                                \
    template <> struct numeric_limits<type> : __hexec_integer_limits<type> {                                 \
    }
__hexec_integer(bool);
__hexec_integer(char);
__hexec_integer(signed char);
__hexec_integer(unsigned char);
__hexec_integer(wchar_t);
__hexec_integer(char16_t);
__hexec_integer(char32_t);
__hexec_integer(short);
__hexec_integer(unsigned short);
__hexec_integer(int);
__hexec_integer(unsigned int);
__hexec_integer(long);
__hexec_integer(unsigned long);
__hexec_integer(long long);
__hexec_integer(unsigned long long);
__hexec_integer(__int128);
__hexec_integer(unsigned __int128);
#undef __hexec_integer
#define __hexec_floating(type, TYPE, inf, nan, nans)                                                         \
    template <> struct numeric_limits<type> : __hexec_no_limits {                                            \
        using __T = type;                                                                                    \
        static constexpr bool is_specialized = true, is_signed = true, is_iec559 = true, is_bounded = true,  \
                              has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;           \
        static constexpr int digits = __##TYPE##_MANT_DIG__, digits10 = __##TYPE##_DIG__,                    \
                             max_digits10 = __##TYPE##_DECIMAL_DIG__, radix = 2,                             \
                             min_exponent = __##TYPE##_MIN_EXP__, max_exponent = __##TYPE##_MAX_EXP__,       \
                             min_exponent10 = __##TYPE##_MIN_10_EXP__,                                       \
                             max_exponent10 = __##TYPE##_MAX_10_EXP__;                                       \
        static constexpr float_round_style round_style = round_to_nearest;                                   \
        __hexec_limit(max, __##TYPE##_MAX__);                                                                \
        __hexec_limit(min, __##TYPE##_MIN__);                                                                \
        __hexec_limit(lowest, -__##TYPE##_MAX__);                                                            \
        __hexec_limit(epsilon, __##TYPE##_EPSILON__);                                                        \
        __hexec_limit(round_error, __T(0.5));                                                                \
        __hexec_limit(denorm_min, __##TYPE##_DENORM_MIN__);                                                  \
        __hexec_limit(infinity, inf());                                                                      \
        __hexec_limit(quiet_NaN, nan(""));                                                                   \
        __hexec_limit(signaling_NaN, nans(""));                                                              \
    }
__hexec_floating(float, FLT, __builtin_huge_valf, __builtin_nanf, __builtin_nansf);
__hexec_floating(double, DBL, __builtin_huge_val, __builtin_nan, __builtin_nans);
#undef __hexec_floating
#undef __hexec_limit
} // namespace __hexec_std
__HEXEC_HEADER_END
#endif
