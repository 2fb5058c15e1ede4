/* What the expressions of rows over floats, of conversions and of prmt call: one lane's arithmetic where C
 * has no operator for it, by the rules of semantics/integers.h. Names in capitals (T, S, WIDTH, TYPE, ...)
 * are those of semantics/views.h. */
#pragma once

#include "isa/isa.h"
#include "semantics/integers.h"

#include <math.h>

/* ---- Bits of floats ---- */

LANE uint32_t bits_of_float(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
LANE float float_of_bits(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
LANE uint64_t bits_of_double(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
LANE double double_of_bits(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* PTX's NaN. Which NaN an operation makes depends on the instruction that the compiler picks, and so on the
 * CPU level, so every NaN that is computed is replaced by this one. */
LANE float canonical_float(float x)
{
    return x != x ? __builtin_nanf("0x3fffff") : x; /* 0x7fffffff */
}
LANE double canonical_double(double x)
{
    return x != x ? __builtin_nan("0x7ffffffffffff") : x; /* 0x7fff'ffff'ffff'ffff */
}
#define CANONICAL_HALF 0x7fffu /* of f16 and of bf16 */

/* x where the condition holds, else y, without a branch: compilers turn chains of ?: over cheap values into
 * jumps before they look for loops to vectorise. */
LANE uint32_t choose32(bool condition, uint32_t x, uint32_t y)
{
    return y ^ ((x ^ y) & (0 - (uint32_t)condition));
}
LANE uint64_t choose64(bool condition, uint64_t x, uint64_t y)
{
    return y ^ ((x ^ y) & (0 - (uint64_t)condition));
}

/* ---- f16 and bf16
 * Values are floats while they are computed with; their bits are the low 16 of a cell, so that all lanes of a
 * loop are 32 bits wide. The conversions are integer arithmetic rather than F16C because that vectorises on
 * every level; subnormals go through an exact conversion or addition, never through a subnormal float, which
 * would be slow. */

LANE float float_of_f16(uint32_t cell)
{
    const uint32_t magnitude = cell & 0x7fffu, sign = (cell & 0x8000u) << 16;
    const uint32_t subnormal = bits_of_float((float)(int32_t)magnitude * 0x1p-24f);
    const uint32_t special = 0 - (uint32_t)(magnitude >= 0x7c00u); /* infinities and NaNs: exponent 255 */
    const uint32_t normal = (magnitude << 13) + ((127u - 15u) << 23) + (special & (127u - 15u) << 23);
    return float_of_bits(choose32(magnitude < 0x400u, subnormal, normal) | sign);
}
LANE float float_of_bf16(uint32_t cell)
{
    return float_of_bits(cell << 16);
}

/* To nearest even. Adding 0.5 leaves a subnormal's rounding to the adder: 0.5's last place is 2^-24. */
LANE uint32_t f16_nearest(float x)
{
    const uint32_t bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
    const uint32_t subnormal = bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t rounded = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    const uint32_t normal = choose32(magnitude < 0x47800000u, rounded, 0x7c00u);  /* from 2^16 on: infinity */
    const uint32_t result = choose32(magnitude < 0x38800000u, subnormal, normal); /* below 2^-14 */
    return choose32(magnitude > 0x7f800000u, CANONICAL_HALF, result | (bits >> 16 & 0x8000u));
}
LANE uint32_t bf16_nearest(float x)
{
    const uint32_t bits = bits_of_float(x);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return choose32((bits & 0x7fffffffu) > 0x7f800000u, CANONICAL_HALF, rounded);
}

/* Away from zero or toward it, as the mode and the sign say. The mode of the machine is in force, so 0.5 with
 * x's sign does for subnormals here, too. */
LANE bool rounds_away(uint32_t sign, unsigned mode)
{
    return (sign && mode == ROUNDING_RM) | (!sign && mode == ROUNDING_RP);
}
LANE uint32_t f16_directed(float x, unsigned mode)
{
    const uint32_t bits = bits_of_float(x), magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u;
    const bool away = rounds_away(sign, mode);
    const uint32_t sum = bits_of_float(x + float_of_bits(0x3f000000u | sign));
    const uint32_t subnormal = (sum & 0x7fffffffu) - 0x3f000000u;
    const uint32_t rounded = (magnitude - (112u << 23) + choose32(away, 0x1fffu, 0)) >> 13;
    const uint32_t largest = choose32((magnitude == 0x7f800000u) | away, 0x7c00u, 0x7bffu);
    const uint32_t normal = choose32(magnitude < 0x47800000u, rounded, largest);
    const uint32_t result = choose32(magnitude < 0x38800000u, subnormal, normal);
    return choose32(magnitude > 0x7f800000u, CANONICAL_HALF, result | sign >> 16);
}
LANE uint32_t bf16_directed(float x, unsigned mode)
{
    const uint32_t bits = bits_of_float(x);
    const uint32_t rounded = (bits + choose32(rounds_away(bits & 0x80000000u, mode), 0xffffu, 0)) >> 16;
    return choose32((bits & 0x7fffffffu) > 0x7f800000u, CANONICAL_HALF, rounded);
}

/* ---- Rounding once through a wider type
 * Rounding to odd: what does not fit is truncated, and the last bit set when anything was lost. A second
 * rounding to a type that has at least two bits less is then the same as one rounding of the exact value
 * (Boldo and Melquiond, 2008). */

/* An even last bit becomes odd by a step toward the exact value: up or, when the rounded one is above, down.
 */
LANE float odd_float(double x)
{
    const float near = (float)x;
    const uint32_t bits = bits_of_float(near);
    const uint32_t above = __builtin_fabs((double)near) > __builtin_fabs(x);
    const uint32_t below = __builtin_fabs((double)near) < __builtin_fabs(x);
    return float_of_bits(bits + (below & ~bits) - (above & ~bits));
}
LANE double odd_double_of_magnitude(uint64_t x)
{
    return x >> 53 ? (double)(int64_t)(x >> 11 | ((x & 0x7ff) != 0)) * 0x1p11 : (double)(int64_t)x;
}
LANE double odd_double_i64(int64_t x)
{
    const double magnitude = odd_double_of_magnitude(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    return x < 0 ? -magnitude : magnitude;
}
/* Of any integer. */
#define odd_double(x) _Generic((x), uint64_t : odd_double_of_magnitude, default : odd_double_i64)(x)

/* a * b + c for operands that are floats: the product is exact in double, the sum is rounded to odd with the
 * help of its error (Knuth's TwoSum). */
LANE double odd_fused(float a, float b, float c)
{
    const double product = (double)a * (double)b, addend = (double)c, sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    const uint64_t bits = bits_of_double(sum), lost = __builtin_fabs(error) > 0;
    const uint64_t inward = (bits_of_double(error) ^ bits) >> 63; /* the exact sum is nearer to zero */
    return double_of_bits(bits + (lost & ~bits) - 2 * (lost & ~bits & inward));
}

/* LANES_DIRECTED is defined where the machine rounds in a direction (handlers_directed.c): there one rounding
 * after another in the same direction is one rounding, so that the way through wider types needs no care. */
LANE float fused_float(float a, float b, float c, int type)
{
#ifdef LANES_DIRECTED
    (void)type;
    return (float)((double)a * (double)b + (double)c);
#else
    if (type != HX_TYPE_F32)
        return odd_float(odd_fused(a, b, c));
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return (float)odd_fused(a, b, c);
#endif
#endif
}
LANE double fused_double(double a, double b, double c, int type)
{
    (void)type;
    return __builtin_fma(a, b, c);
}
#define fused(a, b, c) _Generic((a), float : fused_float, double : fused_double)(a, b, c, TYPE)

/* ---- Floats ---- */

/* One function for float and one for double: BY_FLOAT(smaller, a)(a, b). */
#define FLOAT_OVERLOADS(DEFINE) DEFINE(float, float, f) DEFINE(double, double, )
#define BY_FLOAT(name, x)       _Generic((x), float : name##_float, default : name##_double)
#define DEFINE_FLOAT_HELPERS(F, suffix, f)                                                                   \
    LANE F magnitude_##suffix(F x)                                                                           \
    {                                                                                                        \
        return __builtin_fabs##f(x);                                                                         \
    }                                                                                                        \
    LANE F square_root_##suffix(F x)                                                                         \
    {                                                                                                        \
        return __builtin_sqrt##f(x);                                                                         \
    }                                                                                                        \
    LANE F remainder_##suffix(F a, F b) /* a call: it takes as many steps as the quotient has bits */        \
    {                                                                                                        \
        return __builtin_fmod##f(a, b);                                                                      \
    }                                                                                                        \
    LANE F nearest_even_##suffix(F x) /* the mode in force is to nearest */                                  \
    {                                                                                                        \
        return __builtin_rint##f(x);                                                                         \
    }                                                                                                        \
    LANE F toward_zero_##suffix(F x)                                                                         \
    {                                                                                                        \
        return __builtin_trunc##f(x);                                                                        \
    }                                                                                                        \
    LANE F downward_##suffix(F x)                                                                            \
    {                                                                                                        \
        return __builtin_floor##f(x);                                                                        \
    }                                                                                                        \
    LANE F upward_##suffix(F x)                                                                              \
    {                                                                                                        \
        return __builtin_ceil##f(x);                                                                         \
    }                                                                                                        \
    LANE F clamped_to_one_##suffix(F x)                                                                      \
    {                                                                                                        \
        return x > 0 ? x < 1 ? x : 1 : 0;                                                                    \
    }                                                                                                        \
    LANE F smaller_##suffix(F a, F b)                                                                        \
    {                                                                                                        \
        const F least = a < b || (a == b && __builtin_signbit(a)) ? a : b; /* b when one is a NaN */         \
        return b != b ? a : least;                                                                           \
    }                                                                                                        \
    LANE F larger_##suffix(F a, F b)                                                                         \
    {                                                                                                        \
        const F most = a > b || (a == b && !__builtin_signbit(a)) ? a : b;                                   \
        return b != b ? a : most;                                                                            \
    }
FLOAT_OVERLOADS(DEFINE_FLOAT_HELPERS)

/* 1 / sqrt(x), correctly rounded: for all positive floats equal to the quotient in double, and three times
 * faster. What root and quotient in float leave is found in double, where the square of a float is exact, and
 * taken off by a step of third order, to an error below 2^-52. */
LANE float reciprocal_root_float(float x)
{
    const float guess = 1 / __builtin_sqrtf(x);
    const double wide = guess, left = 1 - (double)x * (wide * wide);
    const float root = (float)(wide + wide * left * (0.5 + 0.375 * left));
    return x > 0 && x < __builtin_inff() ? root : guess;
}
LANE double reciprocal_root_double(double x)
{
    return 1 / __builtin_sqrt(x);
}
#define reciprocal_root(x) BY_FLOAT(reciprocal_root, x)(x)

#define magnitude(x)       BY_FLOAT(magnitude, x)(x)
#define remainder_of(a, b) BY_FLOAT(remainder, a)(a, b)
#define square_root(x)     BY_FLOAT(square_root, x)(x)
#define nearest_even(x)    BY_FLOAT(nearest_even, x)(x)
#define toward_zero(x)     BY_FLOAT(toward_zero, x)(x)
#define downward(x)        BY_FLOAT(downward, x)(x)
#define upward(x)          BY_FLOAT(upward, x)(x)
#define clamped_to_one(x)  BY_FLOAT(clamped_to_one, x)(x)
#define smaller(a, b)      BY_FLOAT(smaller, a)(a, b)
#define larger(a, b)       BY_FLOAT(larger, a)(a, b)

#define SMALLEST_NORMAL ((T)(IS_F16 ? 0x1p-14 : IS_F64 ? 0x1p-1022 : 0x1p-126))

/* x as it is when it has been written and read again. */
#define rounded(x) __builtin_choose_expr(IS_HALF, rounded_half((float)(x), TYPE, MODE), (x))
LANE float rounded_half(float x, int type, unsigned mode)
{
    (void)mode;
#ifdef LANES_DIRECTED
    return type == HX_TYPE_F16 ? float_of_f16(f16_directed(x, mode)) : float_of_bf16(bf16_directed(x, mode));
#else
    return type == HX_TYPE_F16 ? float_of_f16(f16_nearest(x)) : float_of_bf16(bf16_nearest(x));
#endif
}

/* ---- Conversions: x is of type S (FROM_FLOAT: a float), the result of type T */

#define converted(x)                                                                                         \
    __builtin_choose_expr(IS_FLOAT, float_from(x),                                                           \
                          __builtin_choose_expr(FROM_FLOAT, integer_from_float(x), (T)(x)))
#define converted_clamped(x)                                                                                 \
    __builtin_choose_expr(                                                                                   \
        IS_FLOAT, clamped_to_one((T)float_from(x)),                                                          \
        __builtin_choose_expr(FROM_FLOAT, integer_from_float(x), (T)integer_clamped(x, LOWEST, HIGHEST)))

#ifdef LANES_DIRECTED
#define float_from(x) ((T)(x))
#else
/* f16 and bf16 from what a float cannot hold */
#define float_from(x)                                                                                        \
    __builtin_choose_expr(IS_HALF && FROM_BITS > (FROM_FLOAT ? 32 : 16),                                     \
                          odd_float(__builtin_choose_expr(FROM_FLOAT, (double)(x), odd_double(x))), (T)(x))
#endif

#define LOWEST  (SIGNED ? INT64_MIN >> (64 - WIDTH) : 0)
#define HIGHEST (UINT64_MAX >> (64 - WIDTH + SIGNED))
/* Bounds as floats: the first value that is too high is a power of two, which every float type has. */
#define TOO_HIGH     ((F)(1ull << (WIDTH - 1)) * (SIGNED ? 1 : 2))
#define TOO_LOW      (SIGNED ? -(F)(1ull << (WIDTH - 1)) : 0)
#define NOT_A_NUMBER ((FROM_FLOAT && FROM_BITS == 64) || WIDTH == 64 ? (T)(1ull << (WIDTH - 1)) : (T)0)
#define integer_from_float(x)                                                                                \
    __extension__({                                                                                          \
        typedef __typeof__(__builtin_choose_expr(FROM_FLOAT, (S)0, 0.0)) F;                                  \
        const F from_ = (F)(x);                                                                              \
        const T in_range_ = from_ > TOO_LOW && from_ < TOO_HIGH ? (T)from_ : NOT_A_NUMBER;                   \
        from_ >= TOO_HIGH ? (T)HIGHEST : from_ <= TOO_LOW ? (T)LOWEST : in_range_;                           \
    })

LANE uint64_t clamped_signed(int64_t x, int64_t lowest, uint64_t highest)
{
    const uint64_t top = x > 0 && (uint64_t)x > highest ? highest : (uint64_t)x;
    return x < lowest ? (uint64_t)lowest : top;
}
LANE uint64_t clamped_unsigned(uint64_t x, int64_t lowest, uint64_t highest)
{
    (void)lowest;
    return x > highest ? highest : x;
}
#define integer_clamped(x, lowest, highest)                                                                  \
    _Generic((x), uint64_t : clamped_unsigned, default : clamped_signed)(x, lowest, highest)

/* ---- Bytes (PTX prmt): each nibble of the selector names a byte of {b, a}; with its top bit set, eight
 * copies of that byte's sign bit. The other modes make a selector of the low two bits of theirs. */

LANE uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t nibble = selector >> (4 * i);
        const uint32_t byte = choose32(nibble & 4, b, a) >> ((nibble & 3) * 8) & 255;
        const uint32_t sign = (byte >> 7) * 255;
        result |= choose32(nibble & 8, sign, byte) << (8 * i);
    }
    return result;
}
LANE uint32_t permute_forward(uint32_t a, uint32_t b, uint32_t mode)
{
    return permute_bytes(a, b, 0x3210 + 0x1111 * (mode & 3));
}
LANE uint32_t permute_backward(uint32_t a, uint32_t b, uint32_t mode)
{
    return permute_bytes(a, b, (0x5670 + 0x1111 * (mode & 3)) & 0x7777);
}
LANE uint32_t permute_replicate8(uint32_t a, uint32_t mode)
{
    return permute_bytes(a, a, 0x1111 * (mode & 3));
}
LANE uint32_t permute_replicate16(uint32_t a, uint32_t mode)
{
    return permute_bytes(a, a, mode & 1 ? 0x3232 : 0x1010);
}
LANE uint32_t permute_clamp_left(uint32_t a, uint32_t mode)
{
    const uint32_t at = mode & 3;
    return permute_bytes(a, a, 0x3000 | (at > 2 ? at : 2) << 8 | (at > 1 ? at : 1) << 4 | at);
}
LANE uint32_t permute_clamp_right(uint32_t a, uint32_t mode)
{
    const uint32_t at = mode & 3;
    return permute_bytes(a, a, at << 12 | (at < 2 ? at : 2) << 8 | (at < 1 ? at : 1) << 4);
}
