/* Random numbers of threads, as in the CUDA toolkit's curand_kernel.h: XORWOW (curandState) and Philox
 * 4x32-10, whose bits and uniform numbers are NVIDIA's. Normal numbers come from these by the method of Box
 * and Muller, as NVIDIA's do; those of curand_poisson from 64 on are others.
 *
 * XORWOW: Marsaglia, Xorshift RNGs, 2003. Philox: Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As
 * Easy as 1, 2, 3, 2011. Subsequences are 2^67 and 2^66 numbers apart. */
#pragma once
#include "curand_jumps.h"
#include "curand_types.h"
__HEXEC_HEADER_BEGIN
#define __hexec_random static inline __device__

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/* --- XORWOW --------------------------------------------------------------------------------------------- */

__hexec_random void __hexec_step(unsigned int *v)
{
    const unsigned int t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}
/* As many steps as the row says: the sum of those states that its polynomial has. */
__hexec_random void __hexec_jump(unsigned int *v, const unsigned int *row)
{
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int word = 0; word < 5; word++) {
        for (unsigned int bits = row[word], i = 0; i < 32; i++, bits >>= 1) {
            const unsigned int mask = 0u - (bits & 1);
            for (int k = 0; k < 5; k++)
                sum[k] ^= v[k] & mask;
            __hexec_step(v);
        }
    }
    for (int k = 0; k < 5; k++)
        v[k] = sum[k];
}
__hexec_random void __hexec_jumps_of(unsigned int *v, unsigned long long count, int row)
{
    for (; count; count >>= 1, row++)
        if (count & 1)
            __hexec_jump(v, __hexec_jumps[row]);
}
__hexec_random void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    __hexec_jumps_of(state->v, n, 0);
    state->d += 362437u * (unsigned int)n;
}
__hexec_random void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    __hexec_jumps_of(state->v, n, 67);
}
__hexec_random void curand_init(unsigned long long seed, unsigned long long subsequence,
                                unsigned long long offset, curandStateXORWOW_t *state)
{
    const unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u),
                       high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    *state = {6615241u + low + high,
              {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
              0,
              0,
              0,
              0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
__hexec_random unsigned int curand(curandStateXORWOW_t *state)
{
    __hexec_step(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

/* --- Philox --------------------------------------------------------------------------------------------- */

__hexec_random uint4 __hexec_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const unsigned long long first = 0xd2511f53ull * c.x, second = 0xcd9e8d57ull * c.z;
        c = make_uint4((unsigned int)(second >> 32) ^ c.y ^ key.x, (unsigned int)second,
                       (unsigned int)(first >> 32) ^ c.w ^ key.y, (unsigned int)first);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}
/* Adds to the counter, or to its upper half, and renews the output. */
__hexec_random void __hexec_advance(curandStatePhilox4_32_10_t *state, unsigned long long low,
                                    unsigned long long high)
{
    unsigned long long least = (unsigned long long)state->ctr.y << 32 | state->ctr.x,
                       most = (unsigned long long)state->ctr.w << 32 | state->ctr.z;
    least += low;
    most += high + (least < low);
    state->ctr = make_uint4((unsigned int)least, (unsigned int)(least >> 32), (unsigned int)most,
                            (unsigned int)(most >> 32));
    state->output = __hexec_philox(state->ctr, state->key);
}
__hexec_random void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned int place = state->STATE + (unsigned int)(n & 3);
    state->STATE = place & 3;
    __hexec_advance(state, n / 4 + place / 4, 0);
}
__hexec_random void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    __hexec_advance(state, 0, n);
}
__hexec_random void curand_init(unsigned long long seed, unsigned long long subsequence,
                                unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    *state = {};
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
__hexec_random unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    const uint4 all = state->output;
    const unsigned int place = state->STATE;
    state->STATE = (place + 1) & 3;
    if (place == 3)
        __hexec_advance(state, 1, 0);
    return place == 0 ? all.x : place == 1 ? all.y : place == 2 ? all.z : all.w;
}
__hexec_random uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const uint4 now = state->output;
    __hexec_advance(state, 1, 0);
    const uint4 next = state->output;
    return state->STATE == 0   ? now
           : state->STATE == 1 ? make_uint4(now.y, now.z, now.w, next.x)
           : state->STATE == 2 ? make_uint4(now.z, now.w, next.x, next.y)
                               : make_uint4(now.w, next.x, next.y, next.z);
}

/* --- Distributions -------------------------------------------------------------------------------------- */

/* In (0, 1]: the middle of each step, and 1. */
__hexec_random float __hexec_uniform(unsigned int bits)
{
    return bits * 0x1p-32f + 0x1p-33f;
}
__hexec_random double __hexec_uniform_double(unsigned int low, unsigned int high)
{
    return ((unsigned long long)low ^ (unsigned long long)high << 21) * 0x1p-53 + 0x1p-54;
}
/* Box and Muller, A Note on the Generation of Random Normal Deviates, 1958 */
__hexec_random float2 __hexec_normal(unsigned int x, unsigned int y)
{
    const float step = 0x1p-32f * 6.2831855f, size = sqrtf(-2.0f * logf(__hexec_uniform(x)));
    float sine, cosine;
    __sincosf(y * step + step / 2, &sine, &cosine);
    return make_float2(sine * size, cosine * size);
}
__hexec_random double2 __hexec_normal_double(uint4 bits)
{
    const double size = sqrt(-2.0 * log(__hexec_uniform_double(bits.x, bits.y)));
    double sine, cosine;
    sincospi(2 * __hexec_uniform_double(bits.z, bits.w), &sine, &cosine);
    return make_double2(sine * size, cosine * size);
}
template <typename __S> __hexec_random uint4 __hexec_four(__S *state)
{
    const unsigned int x = curand(state), y = curand(state), z = curand(state), w = curand(state);
    return make_uint4(x, y, z, w);
}

template <typename __S> __hexec_random float curand_uniform(__S *state)
{
    return __hexec_uniform(curand(state));
}
template <typename __S> __hexec_random double curand_uniform_double(__S *state)
{
    const unsigned int low = curand(state), high = curand(state);
    return __hexec_uniform_double(low, high);
}
template <typename __S> __hexec_random float2 curand_normal2(__S *state)
{
    const unsigned int x = curand(state), y = curand(state);
    return __hexec_normal(x, y);
}
template <typename __S> __hexec_random double2 curand_normal2_double(__S *state)
{
    return __hexec_normal_double(__hexec_four(state));
}
/* Of a pair the second one is kept for the next call. */
template <typename __S> __hexec_random float curand_normal(__S *state)
{
    state->boxmuller_flag = !state->boxmuller_flag;
    if (!state->boxmuller_flag)
        return state->boxmuller_extra;
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    return pair.x;
}
template <typename __S> __hexec_random double curand_normal_double(__S *state)
{
    state->boxmuller_flag_double = !state->boxmuller_flag_double;
    if (!state->boxmuller_flag_double)
        return state->boxmuller_extra_double;
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    return pair.x;
}
template <typename __S> __hexec_random float curand_log_normal(__S *state, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(state));
}
template <typename __S> __hexec_random float2 curand_log_normal2(__S *state, float mean, float deviation)
{
    const float2 pair = curand_normal2(state);
    return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <typename __S>
__hexec_random double curand_log_normal_double(__S *state, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(state));
}
template <typename __S>
__hexec_random double2 curand_log_normal2_double(__S *state, double mean, double deviation)
{
    const double2 pair = curand_normal2_double(state);
    return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
/* Up to 64 by products (Knuth, The Art of Computer Programming, 3.4.1), then by rejection (Hoermann, The
 * Transformed Rejection Method for Generating Poisson Random Variables, 1993, PTRS). */
template <typename __S> __hexec_random unsigned int curand_poisson(__S *state, double lambda)
{
    if (lambda < 64) {
        unsigned int count = 0;
        for (float product = expf((float)lambda); product > 1.0f; count++)
            product *= curand_uniform(state);
        return count > 0 ? count - 1 : 0;
    }
    const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b,
                 inverse = 1.1239 + 1.1328 / (b - 3.4), most = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state),
                     size = 0.5 - fabs(u), count = floor((2 * a / size + b) * u + lambda + 0.43);
        if (size >= 0.07 && v <= most)
            return (unsigned int)count;
        if (count >= 0 && (size >= 0.013 || v <= size) &&
            log(v) + log(inverse) - log(a / (size * size) + b) <=
                count * log(lambda) - lambda - lgamma(count + 1))
            return (unsigned int)count;
    }
}

/* Four at a time, of Philox */
__hexec_random float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    return make_float4(__hexec_uniform(bits.x), __hexec_uniform(bits.y), __hexec_uniform(bits.z),
                       __hexec_uniform(bits.w));
}
__hexec_random double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    return make_double2(__hexec_uniform_double(bits.x, bits.y), __hexec_uniform_double(bits.z, bits.w));
}
__hexec_random double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 first = curand_uniform2_double(state), second = curand_uniform2_double(state);
    return make_double4(first.x, first.y, second.x, second.y);
}
__hexec_random float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    const float2 first = __hexec_normal(bits.x, bits.y), second = __hexec_normal(bits.z, bits.w);
    return make_float4(first.x, first.y, second.x, second.y);
}
__hexec_random float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation)
{
    const float4 all = curand_normal4(state);
    return make_float4(expf(mean + deviation * all.x), expf(mean + deviation * all.y),
                       expf(mean + deviation * all.z), expf(mean + deviation * all.w));
}
__hexec_random uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda),
                       z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
    return make_uint4(x, y, z, w);
}
#undef __hexec_random
__HEXEC_HEADER_END
