/* Loads and stores under a mask, with the vector instructions that a CPU level has for them: those of
 * AVX-512, for elements of 4 and 8 bytes. Where there are none (has_gathers) the caller goes from lane to
 * lane.
 *
 * Without the instructions by name, compilers gather under no mask, so that inactive lanes need a valid
 * place, a blend and two rows in memory: sorting in shared memory took half as long again. */
#pragma once

#include "exec/handlers/lane_masks.h"

/* Which indices are inside the window: those with index - least <= room. */
struct reach {
    char *base; /* the place of index 0, which may lie outside */
    uint32_t least, room;
    uint8_t scale_log2;
};

#if defined(__AVX512BW__)

static inline bool has_gathers(unsigned element_bytes)
{
    return element_bytes >= 4;
}

/* Are the indices of all active lanes inside? */
static inline bool all_inside(const struct reach *reach, const uint32_t *index, uint64_t active)
{
    const __m512i least = _mm512_set1_epi32((int)reach->least), room = _mm512_set1_epi32((int)reach->room);
    __mmask16 beyond = 0;
    for (int g = 0; g < LANES_PER_CHUNK; g += 16)
        beyond |= _mm512_mask_cmpgt_epu32_mask((__mmask16)(active >> g),
                                               _mm512_sub_epi32(_mm512_load_si512(index + g), least), room);
    return beyond == 0;
}

/* Distances in bytes; 32 bits are enough for every step. */
static inline __m512i distances(const int32_t *steps, uint8_t scale_log2)
{
    return _mm512_sll_epi32(_mm512_load_si512(steps), _mm_cvtsi32_si128(scale_log2));
}

static inline void load_sparse(const char *base, const int32_t *steps, uint8_t scale_log2, uint64_t active,
                               char *cells, size_t bytes)
{
    for (int g = 0; g < LANES_PER_CHUNK; g += 16, cells += 16 * bytes) {
        const __mmask16 lanes = (__mmask16)(active >> g);
        if (!lanes)
            continue;
        const __m512i at = distances(steps + g, scale_log2);
        if (bytes == 4) {
            const __m512i old = _mm512_load_si512(cells);
            _mm512_store_si512(cells, _mm512_mask_i32gather_epi32(old, lanes, at, base, 1));
            continue;
        }
        for (int h = 0; h < 2; h++) {
            const __m512i old = _mm512_load_si512(cells + 64 * h);
            const __m256i half = h ? _mm512_extracti64x4_epi64(at, 1) : _mm512_castsi512_si256(at);
            const __mmask8 some = (__mmask8)(lanes >> (8 * h));
            _mm512_store_si512(cells + 64 * h, _mm512_mask_i32gather_epi64(old, some, half, base, 1));
        }
    }
}

/* In ascending order of lanes, where places are the same. */
static inline void store_sparse(char *base, const int32_t *steps, uint8_t scale_log2, uint64_t active,
                                const char *cells, size_t bytes)
{
    for (int g = 0; g < LANES_PER_CHUNK; g += 16, cells += 16 * bytes) {
        const __mmask16 lanes = (__mmask16)(active >> g);
        if (!lanes)
            continue;
        const __m512i at = distances(steps + g, scale_log2);
        if (bytes == 4) {
            _mm512_mask_i32scatter_epi32(base, lanes, at, _mm512_load_si512(cells), 1);
            continue;
        }
        for (int h = 0; h < 2; h++) {
            const __m256i half = h ? _mm512_extracti64x4_epi64(at, 1) : _mm512_castsi512_si256(at);
            _mm512_mask_i32scatter_epi64(base, (__mmask8)(lanes >> (8 * h)), half,
                                         _mm512_load_si512(cells + 64 * h), 1);
        }
    }
}

/* Runs: cells of active lanes and the elements from `from` or `to` on. */
static inline void load_run(char *cells, const char *from, uint64_t active, size_t bytes)
{
    for (int i = 0; i < (int)bytes; i++, from += 64, cells += 64) {
        const __m512i old = _mm512_load_si512(cells);
        if (bytes == 4)
            _mm512_store_si512(cells, _mm512_mask_loadu_epi32(old, (__mmask16)(active >> (16 * i)), from));
        else
            _mm512_store_si512(cells, _mm512_mask_loadu_epi64(old, (__mmask8)(active >> (8 * i)), from));
    }
}

static inline void store_run(char *to, const char *cells, uint64_t active, size_t bytes)
{
    for (int i = 0; i < (int)bytes; i++, to += 64, cells += 64)
        if (bytes == 4)
            _mm512_mask_storeu_epi32(to, (__mmask16)(active >> (16 * i)), _mm512_load_si512(cells));
        else
            _mm512_mask_storeu_epi64(to, (__mmask8)(active >> (8 * i)), _mm512_load_si512(cells));
}
#else
static inline bool has_gathers(unsigned element_bytes)
{
    return (void)element_bytes, false;
}
static inline void load_run(char *cells, const char *from, uint64_t active, size_t bytes)
{
    (void)cells, (void)from, (void)active, (void)bytes;
}
static inline void store_run(char *to, const char *cells, uint64_t active, size_t bytes)
{
    (void)to, (void)cells, (void)active, (void)bytes;
}
static inline bool all_inside(const struct reach *reach, const uint32_t *index, uint64_t active)
{
    return (void)reach, (void)index, (void)active, false;
}
static inline void load_sparse(const char *base, const int32_t *steps, uint8_t scale_log2, uint64_t active,
                               char *cells, size_t bytes)
{
    (void)base, (void)steps, (void)scale_log2, (void)active, (void)cells, (void)bytes;
}
static inline void store_sparse(char *base, const int32_t *steps, uint8_t scale_log2, uint64_t active,
                                const char *cells, size_t bytes)
{
    (void)base, (void)steps, (void)scale_log2, (void)active, (void)cells, (void)bytes;
}
#endif
