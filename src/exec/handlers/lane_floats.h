/* Sums, products and both at once, of floats, for levels with mask registers.
 *
 * That a NaN is the canonical one has to be seen to in every lane, and takes as long as the sum itself when
 * each vector is tested and mended. One comparison tells of two vectors whether any of their lanes is a NaN,
 * which is hardly ever so.
 *
 * Takes the place of template.h's bodies for these rows over f32 and f64. The rows' expressions say
 * what they mean; here stands which of the processor's instructions that is, and a test compares the two. */
#pragma once

#include "exec/handlers/lane_roots.h"
#include "exec/handlers/template.h"

#include <immintrin.h>

#define VECTOR_fadd(s, a, b, c) _mm512_add_##s(a, b)
#define VECTOR_fsub(s, a, b, c) _mm512_sub_##s(a, b)
#define VECTOR_fmul(s, a, b, c) _mm512_mul_##s(a, b)
#define VECTOR_ffma(s, a, b, c) _mm512_fmadd_##s(a, b, c)

/* `count` vectors of 64 bytes are a chunk of rows. */
#define FLOAT_VECTORS(name, view, vector, s, count, nan)                                                     \
    static NOINLINE void name##_##view(const struct op *op, char *rows, char *to, size_t to_step,            \
                                       uint32_t chunk, uint32_t end)                                         \
    {                                                                                                        \
        const char *at_a = FIRST_CHUNK(a), *at_b = FIRST_CHUNK(b), *at_c UNUSED = FIRST_CHUNK(c);            \
        for (; chunk < end; chunk++) {                                                                       \
            vector results[count];                                                                           \
            unsigned any = 0;                                                                                \
            _Pragma("GCC unroll 8") for (int i = 0; i < (count); i++) results[i] =                           \
                VECTOR_##name(s, _mm512_load_##s(at_a + 64 * i), _mm512_load_##s(at_b + 64 * i),             \
                              _mm512_load_##s(at_c + 64 * i));                                               \
            _Pragma("GCC unroll 4") for (int i = 0; i < (count); i += 2) any |=                              \
                _mm512_cmp_##s##_mask(results[i], results[i + 1], _CMP_UNORD_Q);                             \
            if (__builtin_expect(any != 0, 0))                                                               \
                _Pragma("GCC unroll 8") for (int i = 0; i < (count); i++) results[i] = _mm512_mask_mov_##s(  \
                    results[i], _mm512_cmp_##s##_mask(results[i], results[i], _CMP_UNORD_Q),                 \
                    _mm512_set1_##s(nan));                                                                   \
            _Pragma("GCC unroll 8") for (int i = 0; i < (count); i++)                                        \
                _mm512_store_##s(to + 64 * i, results[i]);                                                   \
            to += to_step;                                                                                   \
            at_a += op->a.step, at_b += op->b.step, at_c += op->c.step;                                      \
        }                                                                                                    \
    }                                                                                                        \
    HANDLERS_OF(name##_##view, view)

/* By view: vectors, or the loop over lanes that the template makes. */
#define BY_VECTORS_F32(make, name, ...)  FLOAT_VECTORS(name, F32, __m512, ps, 4, canonical_float(NAN))
#define BY_VECTORS_F64(make, name, ...)  FLOAT_VECTORS(name, F64, __m512d, pd, 8, canonical_double(NAN))
#define BY_VECTORS_F16(make, name, ...)  make(F16, F16, name, __VA_ARGS__)
#define BY_VECTORS_BF16(make, name, ...) make(BF16, BF16, name, __VA_ARGS__)

#define BINARY_BY_LANES(view, type, name, ...)                                                               \
    MAKE(name, view, view, view, view, view, NONE, NONE, __VA_ARGS__)
#define TERNARY_BY_LANES(view, type, name, ...)                                                              \
    MAKE(name, view, view, view, view, view, view, NONE, __VA_ARGS__)

/* By row. */
#define MAKE_fadd(view, ...)      BY_VECTORS_##view(BINARY_BY_LANES, __VA_ARGS__)
#define MAKE_fsub(view, ...)      BY_VECTORS_##view(BINARY_BY_LANES, __VA_ARGS__)
#define MAKE_fmul(view, ...)      BY_VECTORS_##view(BINARY_BY_LANES, __VA_ARGS__)
#define MAKE_ffma(view, ...)      BY_VECTORS_##view(TERNARY_BY_LANES, __VA_ARGS__)
#define MAKE_fdiv(view, ...)      BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_frem(view, ...)      BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fmin(view, ...)      BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fmax(view, ...)      BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fmin_nan(view, ...)  BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fmax_nan(view, ...)  BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fcopysign(view, ...) BINARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fmad(view, ...)      TERNARY_BY_LANES(view, view, __VA_ARGS__)

#define VECTOR_frsqrt(s, a, b, c) reciprocal_roots(a)

#define UNARY_BY_LANES(view, type, name, ...)                                                                \
    MAKE(name, view, view, view, view, NONE, NONE, NONE, __VA_ARGS__)
#define BY_ROOTS_F32(make, ...)  BY_VECTORS_F32(make, __VA_ARGS__)
#define BY_ROOTS_F64(make, ...)  make(F64, F64, __VA_ARGS__)
#define BY_ROOTS_F16(make, ...)  make(F16, F16, __VA_ARGS__)
#define BY_ROOTS_BF16(make, ...) make(BF16, BF16, __VA_ARGS__)
#define MAKE_frsqrt(view, ...)   BY_ROOTS_##view(UNARY_BY_LANES, __VA_ARGS__)
#define MAKE_frcp(view, ...)     UNARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fsqrt(view, ...)    UNARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_saturate(view, ...) UNARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_flush(view, ...)    UNARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fabs(view, ...)     UNARY_BY_LANES(view, view, __VA_ARGS__)
#define MAKE_fneg(view, ...)     UNARY_BY_LANES(view, view, __VA_ARGS__)

#undef MAKE_UNARY
#define MAKE_UNARY(view, type, name, ...) MAKE_##name(view, name, __VA_ARGS__)
#undef MAKE_BINARY
#undef MAKE_TERNARY
#define MAKE_BINARY(view, type, name, ...)  MAKE_##name(view, name, __VA_ARGS__)
#define MAKE_TERNARY(view, type, name, ...) MAKE_##name(view, name, __VA_ARGS__)
