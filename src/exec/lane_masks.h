/* Between a bit and a byte (0 or 1) for each of 64 lanes, at CPU level HANDLER_LEVEL.
 *
 * Compilers make no good code of taking a bit from each byte and of the way back; a branch that lanes
 * disagree on spends most of its time there (collatz: a third of the whole run), so the vector instructions
 * are named. */
#pragma once

#include "exec/op.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* The lowest bits of 64 bytes. */
static inline uint64_t lane_bits(const uint8_t *bytes)
{
    uint64_t bits = 0;
#if defined(__AVX512BW__)
    bits = _mm512_test_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8(1));
#elif defined(__AVX2__)
    for (int i = 0; i < 2; i++) {
        const __m256i part = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32 * i));
        bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(part, 7)) << (32 * i);
    }
#elif defined(__SSE2__)
    for (int i = 0; i < 4; i++) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_slli_epi16(part, 7)) << (16 * i);
    }
#else
    for (int i = 0; i < LANES_PER_CHUNK; i++)
        bits |= (uint64_t)(bytes[i] & 1) << i;
#endif
    return bits;
}

/* The way back. Eight at a time: every byte keeps one bit of its copy. */
static inline void lane_bytes(uint64_t bits, uint8_t *bytes)
{
#if defined(__AVX512BW__)
    _mm512_storeu_si512(bytes, _mm512_maskz_set1_epi8(bits, 1));
#else
    for (int i = 0; i < 8; i++) {
        const uint64_t copies = (bits >> (8 * i) & 255) * 0x0101010101010101u & 0x8040201008040201u;
        const uint64_t eight = (((copies & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | copies) >> 7;
        const uint64_t ones = eight & 0x0101010101010101u;
        __builtin_memcpy(bytes + 8 * i, &ones, sizeof ones);
    }
#endif
}
