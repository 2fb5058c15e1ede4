/* Lane masks, at CPU level HANDLER_LEVEL: conversion between a bit and a byte (0 or 1) for each of 64 lanes,
 * and blending of two rows under a mask.
 *
 * Compilers make no good code of taking a bit from each byte and of the way back; a branch that lanes
 * disagree on spends most of its time there (collatz: a third of the whole run), so the vector instructions
 * are named. */
#pragma once

#include "exec/op.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define UNUSED        __attribute__((unused))
#define NOINLINE      __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif
#define LANES IVDEP for (int l = 0; l < LANES_PER_CHUNK; l++)
#define ACTIVE_LANES(l)                                                                                      \
    for (uint64_t rest_ = active, l; rest_ && (l = (uint64_t)__builtin_ctzll(rest_), true);                  \
         rest_ &= rest_ - 1)

/* The lanes of a chunk that exist. */
static inline uint64_t existing_lanes(const struct gang *gang, uint32_t chunk)
{
    const uint32_t lanes = gang->lanes - chunk * LANES_PER_CHUNK;
    return lanes >= LANES_PER_CHUNK ? UINT64_MAX : ((uint64_t)1 << lanes) - 1;
}

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

/* ---- d where the lane's bit (and its byte) is 0, x where it is 1. d is stored whole: what a masked store
 * leaves behind would have to reach the cache before it can be loaded again. */

#if defined(__AVX512BW__)
#define MASKS_AS_BYTES 0 /* the gang's mask_bytes are not read at this level */
/* vector i of a chunk's cells */
static inline __m512i blend_vector(__m512i old, __m512i now, uint64_t bits, int i, size_t cell_bytes)
{
    return cell_bytes == 4   ? _mm512_mask_mov_epi32(old, (__mmask16)(bits >> (16 * i)), now)
           : cell_bytes == 8 ? _mm512_mask_mov_epi64(old, (__mmask8)(bits >> (8 * i)), now)
                             : _mm512_mask_mov_epi8(old, bits, now);
}
static inline void blend(char *d, const char *x, uint64_t bits, const uint8_t *bytes UNUSED,
                         size_t cell_bytes)
{
    const int vectors = (int)cell_bytes; /* of 64 bytes; 64 cells */
    for (int i = 0; i < vectors; i++) {
        const __m512i old = _mm512_load_si512(d + 64 * i), now = _mm512_loadu_si512(x + 64 * i);
        _mm512_store_si512(d + 64 * i, blend_vector(old, now, bits, i, cell_bytes));
    }
}
/* x where one's bit is 1, y where the other's is; at most one of them is. */
static inline void blend_two(char *d, const char *x, uint64_t x_bits, const uint8_t *x_bytes UNUSED,
                             const char *y, uint64_t y_bits, const uint8_t *y_bytes UNUSED, size_t cell_bytes)
{
    const int vectors = (int)cell_bytes;
    for (int i = 0; i < vectors; i++) {
        const __m512i old = _mm512_load_si512(d + 64 * i);
        const __m512i one = blend_vector(old, _mm512_load_si512(x + 64 * i), x_bits, i, cell_bytes);
        _mm512_store_si512(d + 64 * i,
                           blend_vector(one, _mm512_load_si512(y + 64 * i), y_bits, i, cell_bytes));
    }
}
#else
#define MASKS_AS_BYTES 1
/* by arithmetic, so that it vectorises on every level */
#define DEFINE_BLEND(bytes, cell)                                                                            \
    static inline void blend_##bytes(char *d, const char *x, const uint8_t *mask)                            \
    {                                                                                                        \
        cell *const d_cells = (cell *)__builtin_assume_aligned(d, 64);                                       \
        const cell *const x_cells = (const cell *)__builtin_assume_aligned(x, 64);                           \
        LANES d_cells[l] ^= (cell)((d_cells[l] ^ x_cells[l]) & (cell)(0 - (cell)mask[l]));                   \
    }
DEFINE_BLEND(1, uint8_t)
DEFINE_BLEND(4, uint32_t)
DEFINE_BLEND(8, uint64_t)
static inline void blend(char *d, const char *x, uint64_t bits UNUSED, const uint8_t *bytes,
                         size_t cell_bytes)
{
    if (cell_bytes == 4)
        blend_4(d, x, bytes);
    else if (cell_bytes == 8)
        blend_8(d, x, bytes);
    else
        blend_1(d, x, bytes);
}
static inline void blend_two(char *d, const char *x, uint64_t x_bits, const uint8_t *x_bytes, const char *y,
                             uint64_t y_bits, const uint8_t *y_bytes, size_t cell_bytes)
{
    blend(d, x, x_bits, x_bytes, cell_bytes);
    blend(d, y, y_bits, y_bytes, cell_bytes);
}
#endif
