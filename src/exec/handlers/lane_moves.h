/* Lanes change places, at CPU level HANDLER_LEVEL: a gang closes up (exec/fast/compact.h). The lanes of a
 * set, the front, come first in their order, then all others in theirs; and back again. Both are one pass
 * over a mask, and two over a row: with instructions that take the cells of a mask from a vector where there
 * are any. */
#pragma once

#include "exec/handlers/lane_masks.h"

#if defined(__BMI2__)
#define TAKE_BITS(bits, of) _pext_u64(bits, of)
#define GIVE_BITS(bits, to) _pdep_u64(bits, to)
#else
/* The bits of `of`, moved together at the low end; and from there to the bits of `to`. */
static inline uint64_t take_bits(uint64_t bits, uint64_t of)
{
    uint64_t taken = 0;
    for (int i = 0; of; of &= of - 1, i++)
        taken |= (bits >> __builtin_ctzll(of) & 1) << i;
    return taken;
}
static inline uint64_t give_bits(uint64_t bits, uint64_t to)
{
    uint64_t given = 0;
    for (; to; to &= to - 1, bits >>= 1)
        given |= (bits & 1) << __builtin_ctzll(to);
    return given;
}
#define TAKE_BITS(bits, of) take_bits(bits, of)
#define GIVE_BITS(bits, to) give_bits(bits, to)
#endif

static inline uint32_t count_lanes(const uint64_t *lanes, uint32_t chunks)
{
    uint32_t count = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        count += (uint32_t)__builtin_popcountll(lanes[chunk]);
    return count;
}

/* More words than there are chunks: what begins in one may end in the next, and nothing may begin at the end.
 */
typedef uint64_t lane_words[GANG_CHUNKS_MAX + 2];

static inline void put_lanes(uint64_t *words, uint32_t at, uint64_t bits)
{
    words[at / 64] |= bits << (at % 64);
    words[at / 64 + 1] |= bits >> 1 >> (63 - at % 64);
}
static inline uint64_t get_lanes(const uint64_t *words, uint32_t at)
{
    return words[at / 64] >> (at % 64) | words[at / 64 + 1] << 1 << (63 - at % 64);
}

static void move_lanes(uint64_t *lanes, uint32_t chunks, const uint64_t *front, bool back)
{
    lane_words words = {0};
    uint32_t first = 0, other = count_lanes(front, chunks);
    for (uint32_t chunk = 0; back && chunk < chunks; chunk++)
        words[chunk] = lanes[chunk];
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t in = front[chunk], out = ~in;
        if (back) {
            lanes[chunk] = GIVE_BITS(get_lanes(words, first), in) | GIVE_BITS(get_lanes(words, other), out);
        } else {
            put_lanes(words, first, TAKE_BITS(lanes[chunk], in));
            put_lanes(words, other, TAKE_BITS(lanes[chunk], out));
        }
        first += (uint32_t)__builtin_popcountll(in);
        other += (uint32_t)__builtin_popcountll(out);
    }
    for (uint32_t chunk = 0; !back && chunk < chunks; chunk++)
        lanes[chunk] = words[chunk];
}

/* Predicates are masks as well. */
static inline void move_1(char *row, uint32_t chunks, const uint64_t *front, bool back)
{
    uint64_t lanes[GANG_CHUNKS_MAX];
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        lanes[chunk] = lane_bits((const uint8_t *)row + (size_t)chunk * LANES_PER_CHUNK);
    move_lanes(lanes, chunks, front, back);
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        lane_bytes(lanes[chunk], (uint8_t *)row + (size_t)chunk * LANES_PER_CHUNK);
}

#if defined(__AVX512BW__)
#define LANE_SOURCE int
#define FIND_SOURCE(source, chunks, front)
/* Vectors of 64 bytes. One that is taken together is stored whole, so the front is done before the others:
 * what it leaves behind its end they write over. Reads may go behind the row's end, by less than a vector. */
#define DEFINE_MOVE(bytes, bits, suffix)                                                                     \
    static inline void move_##bytes(char *row, uint32_t chunks, const uint64_t *front, bool back,            \
                                    const LANE_SOURCE *source UNUSED)                                        \
    {                                                                                                        \
        enum { CELLS = 64 / bytes };                                                                         \
        _Alignas(64) char moved[(GANG_LANES_MAX + CELLS) * bytes];                                           \
        const uint32_t vectors = chunks * bytes;                                                             \
        char *at = moved;                                                                                    \
        const char *first = row, *other = row + (size_t)count_lanes(front, chunks) * bytes;                  \
        for (uint32_t arm = 0; !back && arm < 2; arm++)                                                      \
            for (uint32_t i = 0; i < vectors; i++) {                                                         \
                const uint64_t word = arm ? ~front[i / bytes] : front[i / bytes];                            \
                const __mmask##bits in = (__mmask##bits)(word >> (i % bytes * CELLS));                       \
                _mm512_storeu_si512(at,                                                                      \
                                    _mm512_maskz_compress_##suffix(in, _mm512_load_si512(row + 64 * i)));    \
                at += (size_t)__builtin_popcountll(in) * bytes;                                              \
            }                                                                                                \
        for (uint32_t i = 0; back && i < vectors; i++) {                                                     \
            const __mmask##bits in = (__mmask##bits)(front[i / bytes] >> (i % bytes * CELLS));               \
            const __mmask##bits out = (__mmask##bits) ~in;                                                   \
            const __m512i others = _mm512_maskz_expand_##suffix(out, _mm512_loadu_si512(other));             \
            _mm512_store_si512(moved + 64 * i,                                                               \
                               _mm512_mask_expand_##suffix(others, in, _mm512_loadu_si512(first)));          \
            first += (size_t)__builtin_popcountll(in) * bytes;                                               \
            other += (size_t)__builtin_popcountll(out) * bytes;                                              \
        }                                                                                                    \
        for (uint32_t i = 0; i < vectors; i++)                                                               \
            _mm512_store_si512(row + 64 * i, _mm512_load_si512(moved + 64 * i));                             \
    }
DEFINE_MOVE(4, 16, epi32)
DEFINE_MOVE(8, 8, epi64)
#else
#define LANE_SOURCE                        uint32_t
#define FIND_SOURCE(source, chunks, front) find_source(source, chunks, front)
/* Where the cell of each lane is taken from, when a gang closes up. */
static inline void find_source(uint32_t *source, uint32_t chunks, const uint64_t *front)
{
    uint32_t first = 0, other = count_lanes(front, chunks);
    for (uint32_t lane = 0; lane < chunks * LANES_PER_CHUNK; lane++) {
        if (front[lane / LANES_PER_CHUNK] >> (lane % LANES_PER_CHUNK) & 1)
            source[first++] = lane;
        else
            source[other++] = lane;
    }
}
#define DEFINE_MOVE(bytes, cell)                                                                             \
    static inline void move_##bytes(char *row, uint32_t chunks, const uint64_t *front UNUSED, bool back,     \
                                    const LANE_SOURCE *source)                                               \
    {                                                                                                        \
        _Alignas(64) cell moved[GANG_LANES_MAX];                                                             \
        cell *const cells = (cell *)__builtin_assume_aligned(row, 64);                                       \
        const uint32_t lanes = chunks * LANES_PER_CHUNK;                                                     \
        if (back)                                                                                            \
            for (uint32_t l = 0; l < lanes; l++)                                                             \
                moved[source[l]] = cells[l];                                                                 \
        else                                                                                                 \
            for (uint32_t l = 0; l < lanes; l++)                                                             \
                moved[l] = cells[source[l]];                                                                 \
        __builtin_memcpy(cells, moved, lanes * sizeof(cell));                                                \
    }
DEFINE_MOVE(4, uint32_t)
DEFINE_MOVE(8, uint64_t)
#endif

static void move_rows(char *rows, const struct lane_row *list, uint32_t count, uint32_t chunks,
                      const uint64_t *front, bool back)
{
    LANE_SOURCE source[GANG_LANES_MAX] UNUSED;
    FIND_SOURCE(source, chunks, front);
    for (uint32_t i = 0; i < count; i++) {
        char *const row = rows + list[i].at;
        if (list[i].cell_bytes == 1)
            move_1(row, chunks, front, back);
        else if (list[i].cell_bytes == 4)
            move_4(row, chunks, front, back, source);
        else
            move_8(row, chunks, front, back, source);
    }
}
