/* Transcendental functions for the reference interpreter: SLEEF's scalar forms, one lane at a time; halves by
 * way of f32. What the functions are worth is measured by tools/accuracy against MPFR; here it is about
 * lanes. */
#include "reference_floats.h"
#include "reference_values.h"

#include <math.h>
#include <string.h>
#if HX_SLEEF
#include <sleef.h>
#define SINGLE(name, ...)    Sleef_cinz_##name##f1_u10purec(__VA_ARGS__)
#define DOUBLE_OF(name, ...) Sleef_cinz_##name##d1_u10purec(__VA_ARGS__)
#else
#define SINGLE(name, ...)    (float)name(__VA_ARGS__)
#define DOUBLE_OF(name, ...) name(__VA_ARGS__)
#endif

static double sigmoid(double x)
{
    const double power = DOUBLE_OF(exp, x > 0 ? -x : x);
    return (x > 0 ? 1 : power) / (1 + power);
}

/* As the instruction set has them near 0, where they are straight lines. */
static double near_zero(double x, double slope, double elsewhere)
{
    return fabs(x) < 0x1p-28 ? x * slope : elsewhere;
}

/* The largest powers: SLEEF's become infinite too early. */
static double power(double x, double y)
{
    const double whole = DOUBLE_OF(pow, x, y), half = DOUBLE_OF(pow, fabs(x), y * 0.5);
    if (!isinf(whole) || x == 0 || !isfinite(x) || !isfinite(y))
        return whole;
    return copysign(y == 1 ? x : half * half, whole);
}

/* X(MEANING, name of the function) */
#define FUNCTIONS(X) X(EX2, exp2) X(EXP, exp) X(LG2, log2) X(LOG, log) X(LOG10, log10) X(SIN, sin) X(COS, cos)

static double of_double(enum meaning meaning, double a, double b)
{
    switch (meaning) {
#define DOUBLE_CASE(MEANING, name)                                                                           \
    case MEANING_##MEANING:                                                                                  \
        return DOUBLE_OF(name, a);
        FUNCTIONS(DOUBLE_CASE)
    case MEANING_SIGMOID:
        return sigmoid(a);
    case MEANING_TAN:
        return near_zero(a, 1, DOUBLE_OF(tan, a));
    case MEANING_TANH:
        return near_zero(a, 1, DOUBLE_OF(tanh, a));
    case MEANING_ERF:
        return near_zero(a, 1.1283791670955126, DOUBLE_OF(erf, a));
    default:
        return power(a, b);
    }
}

static float of_float(enum meaning meaning, float a, float b)
{
    switch (meaning) {
#define SINGLE_CASE(MEANING, name)                                                                           \
    case MEANING_##MEANING:                                                                                  \
        return SINGLE(name, a);
        FUNCTIONS(SINGLE_CASE)
    case MEANING_TAN:
        return SINGLE(tan, a);
    case MEANING_POW:
        return SINGLE(pow, a, b);
    default:
        return (float)of_double(meaning, (double)a, (double)b);
    }
}

uint64_t reference_math(enum meaning meaning, hx_type type, uint64_t a, uint64_t b)
{
    const double x = float_value(a, type), y = float_value(b, type);
    if (type == HX_TYPE_F64)
        return float_bits(of_double(meaning, x, y), type, NEAREST_EVEN);
    return float_bits((double)of_float(meaning, (float)x, (float)y), type, NEAREST_EVEN);
}
