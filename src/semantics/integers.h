/* What the expressions of rows over integers and bits call: one lane's arithmetic where C has no operator.
 *
 * Everything here is total (a value and no undefined behaviour for any bits), gives the same bits on every
 * CPU, and is written so that a loop over it vectorises: no branches that cannot become selections, no
 * tables, no calls. Overloads go by the type of the first operand (_Generic). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LANE static inline __attribute__((always_inline, unused))

/* ---- Integers ---- */

/* One function for each integer type: BY_INTEGER(quotient, a)(a, b). */
#define BY_INTEGER(name, x)                                                                                  \
    _Generic((x), int8_t                                                                                     \
             : name##_i8, int16_t                                                                            \
             : name##_i16, int32_t                                                                           \
             : name##_i32, int64_t                                                                           \
             : name##_i64, uint8_t                                                                           \
             : name##_u8, uint16_t                                                                           \
             : name##_u16, uint32_t                                                                          \
             : name##_u32, uint64_t                                                                          \
             : name##_u64)

/* a / b truncated, through a float type F that holds both exactly and whose correctly rounded quotient
 * truncates to the right integer: float up to 16 bits, double for 32 (7 times faster than the divider, and it
 * vectorises). The signed 64-bit MIN / -1 and all divisions by zero get a divisor of 1 first. */
#define DEFINE_QUOTIENT_SIGNED(T, tag, F)                                                                    \
    LANE T quotient_##tag(T a, T b)                                                                          \
    {                                                                                                        \
        const T divisor = b == 0 || b == -1 ? 1 : b;                                                         \
        const T quotient = (T)((F)a / (F)divisor);                                                           \
        const T special = b == 0 ? -1 : (T)(0 - (uint64_t)a);                                                \
        return b == 0 || b == -1 ? special : quotient;                                                       \
    }
DEFINE_QUOTIENT_SIGNED(int8_t, i8, float)
DEFINE_QUOTIENT_SIGNED(int16_t, i16, float)
DEFINE_QUOTIENT_SIGNED(int32_t, i32, double)
DEFINE_QUOTIENT_SIGNED(int64_t, i64, int64_t)
LANE uint8_t quotient_u8(uint8_t a, uint8_t b)
{
    return b == 0 ? UINT8_MAX : (uint8_t)(int32_t)((float)a / (float)(b == 0 ? 1 : b));
}
LANE uint16_t quotient_u16(uint16_t a, uint16_t b)
{
    return b == 0 ? UINT16_MAX : (uint16_t)(int32_t)((float)a / (float)(b == 0 ? 1 : b));
}
/* From a divisor of 2 on the quotient fits an int32_t, which is what the vector conversions of all levels
 * make; in the other direction a flipped top bit stands for 2^31. */
LANE double double_of_u32(uint32_t x)
{
    return (double)(int32_t)(x ^ 0x80000000u) + 0x1p31;
}
LANE uint32_t quotient_u32(uint32_t a, uint32_t b)
{
    const uint32_t quotient = (uint32_t)(int32_t)(double_of_u32(a) / double_of_u32(b < 2 ? 2 : b));
    const uint32_t special = b == 0 ? UINT32_MAX : a;
    return b < 2 ? special : quotient;
}
LANE uint64_t quotient_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}
#define quotient(a, b) BY_INTEGER(quotient, a)(a, b)

/* Sums and differences that stay at the ends of the range. */
#define DEFINE_CLAMPED(T, tag, lowest, highest)                                                              \
    LANE T sum_clamped_##tag(T a, T b)                                                                       \
    {                                                                                                        \
        const int64_t sum = (int64_t)a + b;                                                                  \
        return (T)(sum < (lowest) ? (lowest) : sum > (highest) ? (highest) : sum);                           \
    }                                                                                                        \
    LANE T difference_clamped_##tag(T a, T b)                                                                \
    {                                                                                                        \
        const int64_t difference = (int64_t)a - b;                                                           \
        return (T)(difference < (lowest) ? (lowest) : difference > (highest) ? (highest) : difference);      \
    }
DEFINE_CLAMPED(int8_t, i8, INT8_MIN, INT8_MAX)
DEFINE_CLAMPED(int16_t, i16, INT16_MIN, INT16_MAX)
DEFINE_CLAMPED(int32_t, i32, INT32_MIN, INT32_MAX)
DEFINE_CLAMPED(uint8_t, u8, 0, UINT8_MAX)
DEFINE_CLAMPED(uint16_t, u16, 0, UINT16_MAX)
DEFINE_CLAMPED(uint32_t, u32, 0, UINT32_MAX)
LANE int64_t sum_clamped_i64(int64_t a, int64_t b)
{
    const int64_t sum = (int64_t)((uint64_t)a + (uint64_t)b);
    return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}
LANE int64_t difference_clamped_i64(int64_t a, int64_t b)
{
    const int64_t difference = (int64_t)((uint64_t)a - (uint64_t)b);
    return ((a ^ b) & (a ^ difference)) < 0 ? (a < 0 ? INT64_MIN : INT64_MAX) : difference;
}
LANE uint64_t sum_clamped_u64(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}
LANE uint64_t difference_clamped_u64(uint64_t a, uint64_t b)
{
    return a < b ? 0 : a - b;
}
#define sum_clamped(a, b)        BY_INTEGER(sum_clamped, a)(a, b)
#define difference_clamped(a, b) BY_INTEGER(difference_clamped, a)(a, b)

/* The sum of the products of four bytes, signed or not as the operands are. */
LANE uint32_t dot_bytes_u32(uint32_t a, uint32_t b)
{
    return (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) + (a >> 16 & 255) * (b >> 16 & 255) +
           (a >> 24) * (b >> 24);
}
LANE int32_t signed_byte(int32_t x, unsigned at)
{
    return (int32_t)((uint32_t)x << (24 - at)) >> 24;
}
LANE uint32_t dot_bytes_i32(int32_t a, int32_t b)
{
    return (uint32_t)(signed_byte(a, 0) * signed_byte(b, 0) + signed_byte(a, 8) * signed_byte(b, 8) +
                      signed_byte(a, 16) * signed_byte(b, 16) + signed_byte(a, 24) * signed_byte(b, 24));
}
#define dot_bytes(a, b) _Generic((a), int32_t : dot_bytes_i32, uint32_t : dot_bytes_u32)(a, b)

/* The same of two halves and the low two bytes. */
LANE uint32_t dot_halves_u32(uint32_t a, uint32_t b)
{
    return (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
LANE uint32_t dot_halves_i32(int32_t a, int32_t b)
{
    return (uint32_t)((int32_t)(int16_t)a * signed_byte(b, 0) + (a >> 16) * signed_byte(b, 8));
}
#define dot_halves(a, b) _Generic((a), int32_t : dot_halves_i32, uint32_t : dot_halves_u32)(a, b)

/* The sum of the distances of four bytes. */
LANE uint32_t distance_of(int32_t a, int32_t b)
{
    return (uint32_t)(a < b ? b - a : a - b);
}
LANE uint32_t byte_differences_u32(uint32_t a, uint32_t b)
{
    return distance_of((int32_t)(a & 255), (int32_t)(b & 255)) +
           distance_of((int32_t)(a >> 8 & 255), (int32_t)(b >> 8 & 255)) +
           distance_of((int32_t)(a >> 16 & 255), (int32_t)(b >> 16 & 255)) +
           distance_of((int32_t)(a >> 24), (int32_t)(b >> 24));
}
LANE uint32_t byte_differences_i32(int32_t a, int32_t b)
{
    return distance_of(signed_byte(a, 0), signed_byte(b, 0)) +
           distance_of(signed_byte(a, 8), signed_byte(b, 8)) +
           distance_of(signed_byte(a, 16), signed_byte(b, 16)) +
           distance_of(signed_byte(a, 24), signed_byte(b, 24));
}
#define byte_differences(a, b)                                                                               \
    _Generic((a), int32_t : byte_differences_i32, uint32_t : byte_differences_u32)(a, b)

/* The low 24 bits, extended by the highest of them or by 0. */
LANE uint32_t low24_u32(uint32_t x)
{
    return x & 0xffffff;
}
LANE int32_t low24_i32(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}
#define low24(x) _Generic((x), int32_t : low24_i32, uint32_t : low24_u32)(x)

/* ---- Bits ---- */

LANE uint32_t bits_from(uint32_t position, uint32_t bits)
{
    return position < 32 ? bits << (position & 31) : 0;
}

/* The function of three bits whose truth table is `table`: bit 4a + 2b + c of it. */
LANE uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c) & (0 - (table >> i & 1));
    return result;
}

/* Position and length are the low 8 bits of their operands; a field that reaches beyond the top is filled
 * with the sign (PTX bfe). */
#define DEFINE_EXTRACTED(T, tag, WIDTH, SIGNED, U)                                                           \
    LANE T field_extracted_##tag(T a, uint32_t position, uint32_t length)                                    \
    {                                                                                                        \
        const uint32_t at = position & 255, bits = length & 255;                                             \
        const T beyond = SIGNED ? (T)(a >> (WIDTH - 1)) : 0;                                                 \
        const T shifted = at < WIDTH ? (T)(a >> (at & (WIDTH - 1))) : beyond;                                \
        const unsigned rest = (WIDTH - bits) & (WIDTH - 1);                                                  \
        const T field = (T)((T)((U)shifted << rest) >> rest);                                                \
        return bits == 0 ? 0 : bits < WIDTH ? field : shifted;                                               \
    }
DEFINE_EXTRACTED(int32_t, i32, 32, 1, uint32_t)
DEFINE_EXTRACTED(uint32_t, u32, 32, 0, uint32_t)
DEFINE_EXTRACTED(int64_t, i64, 64, 1, uint64_t)
DEFINE_EXTRACTED(uint64_t, u64, 64, 0, uint64_t)
#define field_extracted(a, position, length)                                                                 \
    _Generic((a), int32_t                                                                                    \
             : field_extracted_i32, uint32_t                                                                 \
             : field_extracted_u32, int64_t                                                                  \
             : field_extracted_i64, uint64_t                                                                 \
             : field_extracted_u64)(a, position, length)

#define DEFINE_INSERTED(T, tag, WIDTH)                                                                       \
    LANE T field_inserted_##tag(T field, T base, uint32_t position, uint32_t length)                         \
    {                                                                                                        \
        const uint32_t at = position & 255, bits = length & 255;                                             \
        const T ones = bits < WIDTH ? ((T)1 << (bits & (WIDTH - 1))) - 1 : ~(T)0;                            \
        const T mask = at < WIDTH ? ones << (at & (WIDTH - 1)) : 0;                                          \
        const T placed = field << (at & (WIDTH - 1)); /* masked by 0 when `at` is beyond */                  \
        return (base & ~mask) | (placed & mask);                                                             \
    }
DEFINE_INSERTED(uint32_t, u32, 32)
DEFINE_INSERTED(uint64_t, u64, 64)
#define field_inserted(field, base, position, length)                                                        \
    _Generic((field), uint32_t                                                                               \
             : field_inserted_u32, uint64_t                                                                  \
             : field_inserted_u64)(field, base, position, length)

/* Counting in parallel: pairs, nibbles, bytes, then the sum of the bytes. */
LANE uint32_t bits_set_u32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    return (x + (x >> 16)) & 63;
}
LANE uint32_t bits_set_u64(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    x += x >> 8;
    x += x >> 16;
    return (uint32_t)(x + (x >> 32)) & 127;
}
#define bits_set(x) _Generic((x), uint32_t : bits_set_u32, uint64_t : bits_set_u64)(x)

LANE uint32_t bits_reversed_u32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
LANE uint64_t bits_reversed_u64(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ff00ff00ffu) | (x & 0x00ff00ff00ff00ffu) << 8;
    x = (x >> 16 & 0x0000ffff0000ffffu) | (x & 0x0000ffff0000ffffu) << 16;
    return x >> 32 | x << 32;
}
#define bits_reversed(x) _Generic((x), uint32_t : bits_reversed_u32, uint64_t : bits_reversed_u64)(x)

/* The place of the highest 1 (of a negative number the highest 0), ~0 when there is none: the ones of x with
 * all bits below its highest set, less one. */
LANE uint32_t top_bit_u32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    return bits_set_u32(x | x >> 16) - 1;
}
LANE uint32_t top_bit_u64(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return bits_set_u64(x | x >> 32) - 1;
}
LANE uint32_t top_bit_i32(int32_t x)
{
    return top_bit_u32((uint32_t)(x ^ x >> 31));
}
LANE uint32_t top_bit_i64(int64_t x)
{
    return top_bit_u64((uint64_t)(x ^ x >> 63));
}
#define top_bit(x)                                                                                           \
    _Generic((x), int32_t                                                                                    \
             : top_bit_i32, uint32_t                                                                         \
             : top_bit_u32, int64_t                                                                          \
             : top_bit_i64, uint64_t                                                                         \
             : top_bit_u64)(x)

/* ---- Barriers in memory

 * A word has the arrivals that its phase still waits for in bits 0 to 19, how many those of the next phase
 are in
 * bits 20 to 39, the bytes that are still expected, with a sign, in bits 40 to 61, and the phase's number in
 two
 * bits. `by` has in the same places what arrives, what leaves for good, and bytes that are added. A phase
 that
 * waits for nothing any more is over. */
LANE uint64_t barrier_arrived(uint64_t word, uint64_t by)
{
    const uint64_t count = 0xfffff, bytes = 0x3fffff;
    const uint64_t pending = (word - by) & count, next = ((word >> 20) - (by >> 20)) & count;
    const uint64_t expected = ((word >> 40) + (by >> 40)) & bytes, phase = word >> 62;
    const bool is_over = pending == 0 && expected == 0;
    return (is_over ? next : pending) | next << 20 | expected << 40 | (phase + is_over) << 62;
}
