/* The transcendental functions over 64 lanes, for handlers (math.c) and for the compiled tier.
 *
 * For each there is a function of SLEEF that does 64 floats and one that does 64 doubles, in the widest form
 * that the CPU level has; f16 and bf16 go through the floats. These are the u10 functions (within 1 ulp) in
 * their `cinz` forms: compiled without FMA, they give the same bits at every vector width, which the unit
 * test compares. Without SLEEF the C library's double functions stand in, those of f32 rounded to float:
 * within 1 ulp too, but the last bit may differ from that of a build with SLEEF. */
#pragma once

#include "exec/handlers/template.h"

#if HX_SLEEF
#include <sleef.h>
#if defined(__AVX512F__)
#define FLOATS_AT_ONCE      16
#define FLOAT_FUNCTION(fn)  Sleef_cinz_##fn##f16_u10avx512fnofma
#define FLOAT_LOAD          _mm512_load_ps
#define FLOAT_STORE         _mm512_store_ps
#define DOUBLES_AT_ONCE     8
#define DOUBLE_FUNCTION(fn) Sleef_cinz_##fn##d8_u10avx512fnofma
#define DOUBLE_LOAD         _mm512_load_pd
#define DOUBLE_STORE        _mm512_store_pd
#elif defined(__AVX__)
#define FLOATS_AT_ONCE      8
#define FLOAT_FUNCTION(fn)  Sleef_cinz_##fn##f8_u10avx
#define FLOAT_LOAD          _mm256_load_ps
#define FLOAT_STORE         _mm256_store_ps
#define DOUBLES_AT_ONCE     4
#define DOUBLE_FUNCTION(fn) Sleef_cinz_##fn##d4_u10avx
#define DOUBLE_LOAD         _mm256_load_pd
#define DOUBLE_STORE        _mm256_store_pd
#elif defined(__SSE2__)
#define FLOATS_AT_ONCE      4
#define FLOAT_FUNCTION(fn)  Sleef_cinz_##fn##f4_u10sse2
#define FLOAT_LOAD          _mm_load_ps
#define FLOAT_STORE         _mm_store_ps
#define DOUBLES_AT_ONCE     2
#define DOUBLE_FUNCTION(fn) Sleef_cinz_##fn##d2_u10sse2
#define DOUBLE_LOAD         _mm_load_pd
#define DOUBLE_STORE        _mm_store_pd
#else
#define ONE_AT_A_TIME
#define FLOAT_FUNCTION(fn)  Sleef_cinz_##fn##f1_u10purec
#define DOUBLE_FUNCTION(fn) Sleef_cinz_##fn##d1_u10purec
#endif
#else
#define ONE_AT_A_TIME
#define FLOAT_FUNCTION(fn)  (float)fn
#define DOUBLE_FUNCTION(fn) fn
#endif
#ifdef ONE_AT_A_TIME
#define FLOATS_AT_ONCE     1
#define FLOAT_LOAD(x)      (*(x))
#define FLOAT_STORE(x, y)  (*(x) = (y))
#define DOUBLES_AT_ONCE    1
#define DOUBLE_LOAD(x)     (*(x))
#define DOUBLE_STORE(x, y) (*(x) = (y))
#endif

/* ---- 64 lanes of a function: a and b aligned to 64 bytes, d may be a */

#define OF_ONE(fn, LOAD, at) fn(LOAD(a + (at)))
#define OF_TWO(fn, LOAD, at) fn(LOAD(a + (at)), LOAD(b + (at)))
#define DEFINE_FLOATS(name, fn, OF)                                                                          \
    static NOINLINE void name##_of_floats(const float *a, const float *b, float *d)                          \
    {                                                                                                        \
        (void)b;                                                                                             \
        for (int l = 0; l < LANES_PER_CHUNK; l += FLOATS_AT_ONCE)                                            \
            FLOAT_STORE(d + l, OF(FLOAT_FUNCTION(fn), FLOAT_LOAD, l));                                       \
    }
#define DEFINE_DOUBLES(name, fn, OF)                                                                         \
    static NOINLINE void name##_of_doubles(const double *a, const double *b, double *d)                      \
    {                                                                                                        \
        (void)b;                                                                                             \
        for (int l = 0; l < LANES_PER_CHUNK; l += DOUBLES_AT_ONCE)                                           \
            DOUBLE_STORE(d + l, OF(DOUBLE_FUNCTION(fn), DOUBLE_LOAD, l));                                    \
    }
#define DEFINE_LANES(name, fn, OF) DEFINE_FLOATS(name, fn, OF) DEFINE_DOUBLES(name, fn, OF)
DEFINE_LANES(ex2, exp2, OF_ONE)
DEFINE_LANES(exp, exp, OF_ONE)
DEFINE_LANES(lg2, log2, OF_ONE)
DEFINE_LANES(log, log, OF_ONE)
DEFINE_LANES(log10, log10, OF_ONE)
DEFINE_LANES(sin, sin, OF_ONE)
DEFINE_LANES(cos, cos, OF_ONE)
DEFINE_FLOATS(tan, tan, OF_ONE)
DEFINE_DOUBLES(tan_anywhere, tan, OF_ONE)
DEFINE_DOUBLES(tanh_anywhere, tanh, OF_ONE)
DEFINE_DOUBLES(erf_anywhere, erf, OF_ONE)
DEFINE_FLOATS(pow, pow, OF_TWO)
DEFINE_DOUBLES(pow_below_infinity, pow, OF_TWO)

/* Near 0 these are straight lines, to more digits than there are; SLEEF loses some to subnormals there. */
#define NEAR_ZERO(x)        (magnitude_of(x) < 0x1p-28)
#define TWO_OVER_ROOT_OF_PI 1.1283791670955126
LANE double magnitude_of(double x)
{
    return __builtin_fabs(x);
}
#define DEFINE_STRAIGHT(name, slope)                                                                         \
    static NOINLINE void name##_of_doubles(const double *a, const double *b, double *d)                      \
    {                                                                                                        \
        _Alignas(64) double x[LANES_PER_CHUNK];                                                              \
        name##_anywhere_of_doubles(a, b, x);                                                                 \
        LANES d[l] = NEAR_ZERO(a[l]) ? a[l] * (slope) : x[l];                                                \
    }
DEFINE_STRAIGHT(tan, 1.0)
DEFINE_STRAIGHT(tanh, 1.0)
DEFINE_STRAIGHT(erf, TWO_OVER_ROOT_OF_PI)

/* The f32 forms of these are not good enough: by way of f64. */
#define DEFINE_BY_DOUBLES(name)                                                                              \
    static NOINLINE void name##_of_floats(const float *a, const float *b, float *d)                          \
    {                                                                                                        \
        _Alignas(64) double wide[LANES_PER_CHUNK];                                                           \
        (void)b;                                                                                             \
        LANES wide[l] = (double)a[l];                                                                        \
        name##_of_doubles(wide, wide, wide);                                                                 \
        LANES d[l] = (float)wide[l];                                                                         \
    }
DEFINE_BY_DOUBLES(tanh)
DEFINE_BY_DOUBLES(erf)

#define IS_EARLY(power, x, y)                                                                                \
    (__builtin_isinf(power) && (x) != 0 && __builtin_isfinite(x) && __builtin_isfinite(y))
/* SLEEF goes over to infinity a little early: where it says so, the square of half the power decides. */
static NOINLINE void pow_of_doubles(const double *a, const double *b, double *d)
{
    _Alignas(64) double whole[LANES_PER_CHUNK], base[LANES_PER_CHUNK], half[LANES_PER_CHUNK];
    int any = 0;
    pow_below_infinity_of_doubles(a, b, whole);
    for (int l = 0; l < LANES_PER_CHUNK; l++)
        any |= IS_EARLY(whole[l], a[l], b[l]);
    if (any) {
        LANES base[l] = magnitude_of(a[l]);
        LANES half[l] = b[l] * 0.5;
        pow_below_infinity_of_doubles(base, half, half);
        for (int l = 0; l < LANES_PER_CHUNK; l++)
            if (IS_EARLY(whole[l], a[l], b[l]))
                whole[l] = __builtin_copysign(b[l] == 1 ? a[l] : half[l] * half[l], whole[l]);
    }
    LANES d[l] = whole[l];
}

/* Of negative numbers e^a / (1 + e^a), so that nothing overflows. */
static NOINLINE void sigmoid_of_doubles(const double *a, const double *b, double *d)
{
    _Alignas(64) double power[LANES_PER_CHUNK];
    LANES power[l] = a[l] > 0 ? -a[l] : a[l];
    exp_of_doubles(power, b, power);
    LANES d[l] = (a[l] > 0 ? 1 : power[l]) / (1 + power[l]);
}
DEFINE_BY_DOUBLES(sigmoid)
