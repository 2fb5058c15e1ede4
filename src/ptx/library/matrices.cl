/* Rounding with random bits, and the product of matrices whose fragments no instruction of hexec takes. */

/* --- cvt.rs --------------------------------------------------------------------------------------------- */

/* A narrow float. A number beyond the greatest one becomes `beyond`. `random_bits` are added to the highest bits that fall off. */
struct narrow {
    int fraction, least_exponent, random_bits;
    uint most, beyond, nan;
    int sign_shift; /* down from bit 31 */
};
INNER uint rounded_by(struct narrow to, float x, uint random)
{
    const uint magnitude = as_uint(x) & 0x7fffffffu, sign = (as_uint(x) & 0x80000000u) >> to.sign_shift;
    const int normal = magnitude >> 23 ? 1 : 0, exponent = (int)(magnitude >> 23) - 126 - normal;
    const uint significand = (magnitude & 0x7fffffu) | (uint)normal << 23;
    const int below = exponent < to.least_exponent ? to.least_exponent - exponent : 0;
    const int cut = 23 - to.fraction + (below < 32 ? below : 32);
    const ulong lost = significand & ((1ul << cut) - 1);
    const uint carry = (uint)(((lost >> (cut - to.random_bits)) + random) >> to.random_bits);
    const uint bits =
        (uint)(significand >> (cut < 31 ? cut : 31)) + carry + ((uint)(exponent + below - to.least_exponent) << to.fraction);
    if (magnitude > 0x7f800000u)
        return to.nan;
    return sign | (magnitude == 0x7f800000u || bits > to.most ? to.beyond : bits);
}
#define RANDOM_PAIR(NAME, FRACTION, LEAST, MOST, BEYOND, RANDOM)                                                       \
    uint __hx_round_##NAME(float a, float b, uint random)                                                              \
    {                                                                                                                  \
        const struct narrow to = {FRACTION, LEAST, RANDOM, MOST, BEYOND, 0x7fff, 16};                                  \
        const uint mask = (1u << RANDOM) - 1;                                                                          \
        return rounded_by(to, a, random >> 16 & mask) << 16 | rounded_by(to, b, random & mask);                        \
    }
RANDOM_PAIR(f16x2_, 10, -14, 0x7bff, 0x7c00, 13)
RANDOM_PAIR(f16x2_satfinite, 10, -14, 0x7bff, 0x7bff, 13)
RANDOM_PAIR(bf16x2_, 7, -126, 0x7f7f, 0x7f80, 16)
RANDOM_PAIR(bf16x2_satfinite, 7, -126, 0x7f7f, 0x7f7f, 16)
#undef RANDOM_PAIR
#define RANDOM_FOUR(NAME, FRACTION, LEAST, MOST, NAN, SHIFT, WIDTH)                                                    \
    uint __hx_round_##NAME(float a, float b, float e, float f, uint random)                                            \
    {                                                                                                                  \
        const struct narrow to = {FRACTION, LEAST, 16, MOST, MOST, NAN, SHIFT};                                        \
        const uint high = random >> 16, low = random & 0xffffu;                                                        \
        return rounded_by(to, a, high) << 3 * WIDTH | rounded_by(to, b, high) << 2 * WIDTH |                           \
               rounded_by(to, e, low) << WIDTH | rounded_by(to, f, low);                                               \
    }
RANDOM_FOUR(e4m3x4, 3, -6, 0x7e, 0x7f, 24, 8)
RANDOM_FOUR(e5m2x4, 2, -14, 0x7b, 0x7f, 24, 8)
RANDOM_FOUR(e2m3x4, 3, 0, 0x1f, 0x1f, 26, 8)
RANDOM_FOUR(e3m2x4, 2, -2, 0x1f, 0x1f, 26, 8)
RANDOM_FOUR(e2m1x4, 1, 0, 0x7, 0x7, 28, 4)
#undef RANDOM_FOUR

/* --- mma.m8n8k4 of f16 ---------------------------------------------------------------------------------- */

/* Lanes 4 q to 4 q + 3 and 16 more than these have a product of their own: PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16".
 * Line i of a matrix, a row of A or a column of B, is in lane i % 4 of the first four or, from line 4 on, of the second four. */
INNER uint from_lane(uint value, uint lane)
{
    uint d;
    __asm__("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(d) : "r"(value), "r"(lane));
    return d;
}
INNER uint lane_with(uint line)
{
    uint lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return (lane & 12u) + (line & 3u) + ((line & 4u) << 2);
}
INNER float wide_half(uint low, uint high, uint at)
{
    const uint word = at & 2u ? high : low;
    return (float)as_half((ushort)(word >> 16 * (at & 1u)));
}
/* Its four elements. Where fragments go across the lines, lane k of the four has elements k of four lines. */
INNER float4 elements_of(uint low, uint high, uint line, uint is_across)
{
    uint lows[4], highs[4];
#pragma unroll
    for (uint k = 0; k < 4; k++) {
        const uint lane = is_across ? lane_with((line & 4u) + k) : lane_with(line);
        lows[k] = from_lane(low, lane);
        highs[k] = from_lane(high, lane);
    }
#define ELEMENT(k) wide_half(lows[k], highs[k], is_across ? line : k)
    return (float4)(ELEMENT(0), ELEMENT(1), ELEMENT(2), ELEMENT(3));
#undef ELEMENT
}
INNER float product_at(uint4 ab, uint2 across, uint row, uint column, float sum)
{
    const float4 a = elements_of(ab.x, ab.y, row, across.x), b = elements_of(ab.z, ab.w, column, across.y);
    sum = __builtin_fmaf(a.x, b.x, sum);
    sum = __builtin_fmaf(a.y, b.y, sum);
    sum = __builtin_fmaf(a.z, b.z, sum);
    return __builtin_fmaf(a.w, b.w, sum);
}
INNER uint own_line(uint of_four)
{
    uint lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return (lane & of_four) + (lane >> 4 << 2);
}
struct eight {
    float at[8];
} __attribute__((aligned(16)));
struct four {
    uint at[4];
} __attribute__((aligned(16)));
/* Sums in f32: element i of a lane is in row (lane & 1) + (i & 2), column (i & 4) + (lane & 2) + (i & 1). */
INNER uint wide_row(uint i)
{
    return own_line(1) + (i & 2u);
}
INNER uint wide_column(uint i)
{
    return (i & 4u) + (own_line(2) & 2u) + (i & 1u);
}
struct eight __hx_mma_m8n8k4_f32(uint a0, uint a1, uint b0, uint b1, uint a_across, uint b_across, float c0, float c1, float c2,
                                 float c3, float c4, float c5, float c6, float c7)
{
    const float c[8] = {c0, c1, c2, c3, c4, c5, c6, c7};
    struct eight d;
#pragma unroll
    for (uint i = 0; i < 8; i++)
        d.at[i] = product_at((uint4)(a0, a1, b0, b1), (uint2)(a_across, b_across), wide_row(i), wide_column(i), c[i]);
    return d;
}
/* Sums in f16: a lane has a row. */
struct four __hx_mma_m8n8k4_f16(uint a0, uint a1, uint b0, uint b1, uint a_across, uint b_across, uint c0, uint c1, uint c2, uint c3)
{
    const uint c[4] = {c0, c1, c2, c3};
    struct four d;
#pragma unroll
    for (uint i = 0; i < 4; i++) {
        ushort halves[2];
        for (uint k = 0; k < 2; k++) {
            const float sum = product_at((uint4)(a0, a1, b0, b1), (uint2)(a_across, b_across), own_line(3), 2 * i + k,
                                         wide_half(c[i], 0, k));
            __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(halves[k]) : "f"(sum));
        }
        d.at[i] = halves[0] | (uint)halves[1] << 16;
    }
    return d;
}
/* c in f16 and d in f32: elements of c come from the lane that has their row. */
struct eight __hx_mma_m8n8k4_mixed(uint a0, uint a1, uint b0, uint b1, uint a_across, uint b_across, uint c0, uint c1, uint c2, uint c3)
{
    const uint c[4] = {c0, c1, c2, c3};
    struct eight d;
#pragma unroll
    for (uint i = 0; i < 8; i++) {
        const uint column = wide_column(i), lane = lane_with(wide_row(i));
        const uint low = from_lane(c[i >> 2 << 1], lane), high = from_lane(c[(i >> 2 << 1) + 1], lane);
        d.at[i] = product_at((uint4)(a0, a1, b0, b1), (uint2)(a_across, b_across), wide_row(i), column,
                             wide_half(low, high, column & 3u));
    }
    return d;
}
