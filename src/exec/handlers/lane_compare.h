/* Comparisons with mask registers, for levels that have them: 64 lanes become 64 bits, and these bytes.
 *
 * Compilers make a row of 4 or 8 byte lanes of each comparison and narrow that step by step, which takes
 * longer than the comparison. The rows' expressions say what a comparison means; here stands which of the
 * processor's it is, and a test compares the two.
 *
 * Takes the place of template.h's bodies for comparisons of 32 and 64 bits. */
#pragma once

#include "exec/handlers/template.h"

#include <immintrin.h>

/* The processor's comparison for each row: of integers, of floats. */
#define INTEGER_setp_eq  _MM_CMPINT_EQ
#define INTEGER_setp_ne  _MM_CMPINT_NE
#define INTEGER_setp_lt  _MM_CMPINT_LT
#define INTEGER_setp_le  _MM_CMPINT_LE
#define INTEGER_setp_gt  _MM_CMPINT_NLE
#define INTEGER_setp_ge  _MM_CMPINT_NLT
#define INTEGER_setp_ltu _MM_CMPINT_LT
#define INTEGER_setp_leu _MM_CMPINT_LE
#define INTEGER_setp_gtu _MM_CMPINT_NLE
#define INTEGER_setp_geu _MM_CMPINT_NLT
#define INTEGER_setp_lo  _MM_CMPINT_LT
#define INTEGER_setp_ls  _MM_CMPINT_LE
#define INTEGER_setp_hi  _MM_CMPINT_NLE
#define INTEGER_setp_hs  _MM_CMPINT_NLT
#define FLOAT_setp_eq    _CMP_EQ_OQ
#define FLOAT_setp_ne    _CMP_NEQ_OQ
#define FLOAT_setp_lt    _CMP_LT_OQ
#define FLOAT_setp_le    _CMP_LE_OQ
#define FLOAT_setp_gt    _CMP_GT_OQ
#define FLOAT_setp_ge    _CMP_GE_OQ
#define FLOAT_setp_equ   _CMP_EQ_UQ
#define FLOAT_setp_neu   _CMP_NEQ_UQ
#define FLOAT_setp_ltu   _CMP_NGE_UQ
#define FLOAT_setp_leu   _CMP_NGT_UQ
#define FLOAT_setp_gtu   _CMP_NLE_UQ
#define FLOAT_setp_geu   _CMP_NLT_UQ
#define FLOAT_setp_num   _CMP_ORD_Q
#define FLOAT_setp_nan   _CMP_UNORD_Q

/* 16 or 8 lanes at a time. */
#define PART(letter, i) (at_##letter + 64 * (i))
#define COMPARE_PART_U32(name, i)                                                                            \
    _mm512_cmp_epu32_mask(_mm512_load_si512(PART(a, i)), _mm512_load_si512(PART(b, i)), INTEGER_##name)
#define COMPARE_PART_I32(name, i)                                                                            \
    _mm512_cmp_epi32_mask(_mm512_load_si512(PART(a, i)), _mm512_load_si512(PART(b, i)), INTEGER_##name)
#define COMPARE_PART_F32(name, i)                                                                            \
    _mm512_cmp_ps_mask(_mm512_load_ps(PART(a, i)), _mm512_load_ps(PART(b, i)), FLOAT_##name)
#define COMPARE_PART_U64(name, i)                                                                            \
    _mm512_cmp_epu64_mask(_mm512_load_si512(PART(a, i)), _mm512_load_si512(PART(b, i)), INTEGER_##name)
#define COMPARE_PART_I64(name, i)                                                                            \
    _mm512_cmp_epi64_mask(_mm512_load_si512(PART(a, i)), _mm512_load_si512(PART(b, i)), INTEGER_##name)
#define COMPARE_PART_F64(name, i)                                                                            \
    _mm512_cmp_pd_mask(_mm512_load_pd(PART(a, i)), _mm512_load_pd(PART(b, i)), FLOAT_##name)

/* One mask of 64 bits from the masks of the parts: kunpck puts two side by side. */
#define PACK_4(part, name)                                                                                   \
    _mm512_kunpackd(_mm512_kunpackw(part(name, 3), part(name, 2)),                                           \
                    _mm512_kunpackw(part(name, 1), part(name, 0)))
#define PAIR_OF(part, name, i) _mm512_kunpackb(part(name, (i) + 1), part(name, i))
#define PACK_8(part, name)                                                                                   \
    _mm512_kunpackd(_mm512_kunpackw(PAIR_OF(part, name, 6), PAIR_OF(part, name, 4)),                         \
                    _mm512_kunpackw(PAIR_OF(part, name, 2), PAIR_OF(part, name, 0)))

#define BODY_BY_MASKS(name, view, packed_bits)                                                               \
    static NOINLINE void name##_##view(const struct op *op, char *rows, char *to, size_t to_step,            \
                                       uint32_t chunk, uint32_t end)                                         \
    {                                                                                                        \
        const char *at_a = FIRST_CHUNK(a), *at_b = FIRST_CHUNK(b);                                           \
        for (; chunk < end; chunk++) {                                                                       \
            const __mmask64 lanes = packed_bits;                                                             \
            _mm512_store_si512(to, _mm512_maskz_set1_epi8(lanes, 1));                                        \
            to += to_step;                                                                                   \
            at_a += op->a.step, at_b += op->b.step;                                                          \
        }                                                                                                    \
    }                                                                                                        \
    HANDLERS_OF(name##_##view, PRED)

#define COMPARE_BODY_U32(name, ...) BODY_BY_MASKS(name, U32, PACK_4(COMPARE_PART_U32, name))
#define COMPARE_BODY_I32(name, ...) BODY_BY_MASKS(name, I32, PACK_4(COMPARE_PART_I32, name))
#define COMPARE_BODY_F32(name, ...) BODY_BY_MASKS(name, F32, PACK_4(COMPARE_PART_F32, name))
#define COMPARE_BODY_U64(name, ...) BODY_BY_MASKS(name, U64, PACK_8(COMPARE_PART_U64, name))
#define COMPARE_BODY_I64(name, ...) BODY_BY_MASKS(name, I64, PACK_8(COMPARE_PART_I64, name))
#define COMPARE_BODY_F64(name, ...) BODY_BY_MASKS(name, F64, PACK_8(COMPARE_PART_F64, name))
/* narrower types have rows that are to be narrowed first */
#define COMPARE_BODY_U8(...)              COMPARE_BY_LANES(U8, __VA_ARGS__)
#define COMPARE_BODY_I8(...)              COMPARE_BY_LANES(I8, __VA_ARGS__)
#define COMPARE_BODY_U16(...)             COMPARE_BY_LANES(U16, __VA_ARGS__)
#define COMPARE_BODY_I16(...)             COMPARE_BY_LANES(I16, __VA_ARGS__)
#define COMPARE_BODY_F16(...)             COMPARE_BY_LANES(F16, __VA_ARGS__)
#define COMPARE_BODY_BF16(...)            COMPARE_BY_LANES(BF16, __VA_ARGS__)
#define COMPARE_BY_LANES(view, name, ...) MAKE(name, view, view, PRED, view, view, NONE, NONE, __VA_ARGS__)

#undef MAKE_COMPARE
#define MAKE_COMPARE(view, type, name, ...) COMPARE_BODY_##view(name, __VA_ARGS__)
