/* Products of 32 bits twice as wide, and their upper halves, for levels that multiply every second lane so:
 * gcc makes 64-bit multiplications of these, which take three times as long. The rows' expressions say what
 * they mean; a test compares the two.
 *
 * Takes the place of template.h's bodies, which look for OWN_NAME_VIEW. */
#pragma once

#include "exec/handlers/template.h"

#include <immintrin.h>

#if defined(__AVX512F__)
typedef __m512i words;
#define WORDS(function)      _mm512_##function
#define WORDS_LOAD(at)       _mm512_load_si512(at)
#define WORDS_STORE(at, x)   _mm512_store_si512(at, x)
#define MERGE_ODD(even, odd) _mm512_mask_blend_epi32(0xaaaa, even, odd)
#else
typedef __m256i words;
#define WORDS(function)      _mm256_##function
#define WORDS_LOAD(at)       _mm256_load_si256((const __m256i *)(const void *)(at))
#define WORDS_STORE(at, x)   _mm256_store_si256((__m256i *)(void *)(at), x)
#define MERGE_ODD(even, odd) _mm256_blend_epi32(even, odd, 0xaa)
#endif
#define WORDS_BYTES sizeof(words)

/* The upper halves of the products of 32-bit lanes. */
#define HIGH_BODY(name, product)                                                                             \
    static NOINLINE void name(const struct op *op, char *rows, char *to, size_t to_step, uint32_t chunk,     \
                              uint32_t end)                                                                  \
    {                                                                                                        \
        const char *at_a = FIRST_CHUNK(a), *at_b = FIRST_CHUNK(b);                                           \
        for (; chunk < end; chunk++) {                                                                       \
            for (size_t at = 0; at < LANES_PER_CHUNK * 4; at += WORDS_BYTES) {                               \
                const words a = WORDS_LOAD(at_a + at), b = WORDS_LOAD(at_b + at);                            \
                const words even = WORDS(product)(a, b);                                                     \
                const words odd = WORDS(product)(WORDS(srli_epi64)(a, 32), WORDS(srli_epi64)(b, 32));        \
                WORDS_STORE(to + at, MERGE_ODD(WORDS(srli_epi64)(even, 32), odd));                           \
            }                                                                                                \
            to += to_step;                                                                                   \
            at_a += op->a.step, at_b += op->b.step;                                                          \
        }                                                                                                    \
    }
HIGH_BODY(mulhi_U32, mul_epu32)
HIGH_BODY(mulhi_I32, mul_epi32)

#if defined(__AVX512F__) /* with narrower vectors there is nothing to win */
#define HALF_LOAD(at) _mm256_load_si256((const __m256i *)(const void *)(at))
/* Products of 64 bits, and `plus` what row c has. The upper halves of widened lanes are ignored. */
#define WIDE_BODY(name, product, plus)                                                                       \
    static NOINLINE void name(const struct op *op, char *rows, char *to, size_t to_step, uint32_t chunk,     \
                              uint32_t end)                                                                  \
    {                                                                                                        \
        const char *at_a = FIRST_CHUNK(a), *at_b = FIRST_CHUNK(b), *at_c UNUSED = FIRST_CHUNK(c);            \
        for (; chunk < end; chunk++) {                                                                       \
            for (size_t at = 0; at < LANES_PER_CHUNK * 8; at += WORDS_BYTES) {                               \
                const words a = WORDS(cvtepu32_epi64)(HALF_LOAD(at_a + at / 2));                             \
                const words b = WORDS(cvtepu32_epi64)(HALF_LOAD(at_b + at / 2));                             \
                const words d = WORDS(product)(a, b);                                                        \
                WORDS_STORE(to + at, plus);                                                                  \
            }                                                                                                \
            to += to_step;                                                                                   \
            at_a += op->a.step, at_b += op->b.step, at_c += op->c.step;                                      \
        }                                                                                                    \
    }
#define PLUS_C WORDS(add_epi64)(d, WORDS_LOAD(at_c + at))
WIDE_BODY(mulw_U32, mul_epu32, d)
WIDE_BODY(mulw_I32, mul_epi32, d)
WIDE_BODY(madw_U32, mul_epu32, PLUS_C)
WIDE_BODY(madw_I32, mul_epi32, PLUS_C)
#define OWN_mulw_U32 ~, NO_BODY
#define OWN_mulw_I32 ~, NO_BODY
#define OWN_madw_U32 ~, NO_BODY
#define OWN_madw_I32 ~, NO_BODY
#endif

#define OWN_mulhi_U32 ~, NO_BODY
#define OWN_mulhi_I32 ~, NO_BODY
