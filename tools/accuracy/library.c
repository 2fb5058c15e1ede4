/* The table of the device library's functions that are not opcodes: exact values, estimates, limits.
 *
 * As in functions.c, exact values are rounded towards zero. Those that MPFR lacks are computed with twice the
 * digits; inverse functions by Newton's method on the logarithm, where it converges from everywhere. */
#include "functions.h"

#include <math.h>

enum { WAY_BITS = 800 };

static int exact_rcbrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t root;
    mpfr_init2(root, WAY_BITS);
    mpfr_cbrt(root, x, MPFR_RNDA);
    mpfr_ui_div(result, 1, root, rounding);
    mpfr_clear(root);
    return 1;
}

static int exact_rhypot(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    mpfr_t root;
    mpfr_init2(root, WAY_BITS);
    mpfr_hypot(root, x, y, MPFR_RNDA);
    mpfr_ui_div(result, 1, root, rounding);
    mpfr_clear(root);
    return 1;
}

static int exact_lgamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    int sign;
    return mpfr_lgamma(result, &sign, x, rounding);
}

static int exact_erfcx(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t square, tail;
    if (!mpfr_number_p(x) || mpfr_cmp_d(x, 1e4) > 0) {
        if (mpfr_nan_p(x) || (mpfr_inf_p(x) && mpfr_sgn(x) < 0)) {
            mpfr_abs(result, x, rounding);
            return 0;
        }
        if (mpfr_inf_p(x)) {
            mpfr_set_zero(result, 1);
            return 0;
        }
    }
    mpfr_inits2(WAY_BITS, square, tail, (mpfr_ptr)NULL);
    mpfr_sqr(square, x, MPFR_RNDN);
    if (mpfr_cmp_d(x, 1e4) >
        0) { /* (1 - 1/(2 x^2) + 3/(4 x^4) - ...) / (x sqrt(pi)): 20 terms are 320 bits */
        mpfr_t term;
        mpfr_init2(term, WAY_BITS);
        mpfr_set_ui(term, 1, MPFR_RNDN);
        mpfr_set_ui(tail, 1, MPFR_RNDN);
        for (unsigned k = 1; k < 20; k++) {
            mpfr_mul_si(term, term, -(long)(2 * k - 1), MPFR_RNDN);
            mpfr_div(term, term, square, MPFR_RNDN);
            mpfr_div_ui(term, term, 2, MPFR_RNDN);
            mpfr_add(tail, tail, term, MPFR_RNDN);
        }
        mpfr_const_pi(term, MPFR_RNDN);
        mpfr_sqrt(term, term, MPFR_RNDN);
        mpfr_mul(term, term, x, MPFR_RNDN);
        mpfr_div(result, tail, term, rounding);
        mpfr_clear(term);
    } else {
        mpfr_erfc(tail, x, MPFR_RNDZ);
        mpfr_exp(square, square, MPFR_RNDZ);
        mpfr_mul(result, square, tail, rounding);
    }
    mpfr_clears(square, tail, (mpfr_ptr)NULL);
    return 1;
}

static int exact_normcdf(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t argument;
    mpfr_init2(argument, WAY_BITS);
    mpfr_sqrt_ui(argument, 2, MPFR_RNDN);
    mpfr_div(argument, x, argument, MPFR_RNDN);
    mpfr_neg(argument, argument, MPFR_RNDN);
    int inexact = mpfr_erfc(result, argument, rounding);
    mpfr_div_2ui(result, result, 1, rounding);
    mpfr_clear(argument);
    return inexact;
}

/* y with erfc(y) = tail, 0 < tail < 1: Newton's method on ln(erfc(y)), which is concave and falls. */
static void invert(mpfr_ptr result, mpfr_srcptr tail)
{
    mpfr_t target, value, slope, y;
    mpfr_inits2(WAY_BITS, target, value, slope, y, (mpfr_ptr)NULL);
    mpfr_log(target, tail, MPFR_RNDN);
    mpfr_neg(y, target, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN);
    if (mpfr_cmp_d(tail, 0.5) > 0) { /* erf(y) is about 2 y / sqrt(pi) */
        mpfr_ui_sub(y, 1, tail, MPFR_RNDN);
        mpfr_mul_d(y, y, 0.886, MPFR_RNDN);
    }
    for (int i = 0; i < 40; i++) {
        mpfr_erfc(value, y, MPFR_RNDN);
        mpfr_sqr(slope, y, MPFR_RNDN);
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_mul(slope, slope, value, MPFR_RNDN); /* erfcx */
        mpfr_log(value, value, MPFR_RNDN);
        mpfr_sub(value, value, target, MPFR_RNDN);
        mpfr_mul(value, value, slope, MPFR_RNDN);
        mpfr_const_pi(slope, MPFR_RNDN);
        mpfr_sqrt(slope, slope, MPFR_RNDN);
        mpfr_mul(value, value, slope, MPFR_RNDN);
        mpfr_div_2ui(value, value, 1, MPFR_RNDN);
        mpfr_add(y, y, value, MPFR_RNDN);
        if (mpfr_zero_p(value) || mpfr_get_exp(value) < mpfr_get_exp(y) - 500)
            break;
    }
    mpfr_set(result, y, MPFR_RNDZ);
    mpfr_clears(target, value, slope, y, (mpfr_ptr)NULL);
}

/* Of 1 - a, or of a when that is the tail; sign: of the result. NaN, infinity and 0 at the ends. */
static int invert_tail(mpfr_ptr result, mpfr_srcptr tail, double factor_squared)
{
    mpfr_t other, factor;
    if (mpfr_nan_p(tail) || mpfr_sgn(tail) < 0 || mpfr_cmp_ui(tail, 2) > 0) {
        mpfr_set_nan(result);
        return 0;
    }
    const int above = mpfr_cmp_ui(tail, 1);
    if (mpfr_zero_p(tail) || mpfr_cmp_ui(tail, 2) == 0) {
        mpfr_set_inf(result, -above);
        return 0;
    }
    mpfr_inits2(2 * WAY_BITS, other, factor, (mpfr_ptr)NULL);
    mpfr_ui_sub(other, 2, tail, MPFR_RNDN);
    if (above == 0)
        mpfr_set_zero(result, 1);
    else
        invert(result, above < 0 ? tail : other);
    mpfr_set_d(factor, factor_squared, MPFR_RNDN);
    mpfr_sqrt(factor, factor, MPFR_RNDN);
    mpfr_mul(result, result, factor, MPFR_RNDZ);
    if (above > 0)
        mpfr_neg(result, result, MPFR_RNDZ);
    mpfr_clears(other, factor, (mpfr_ptr)NULL);
    return 1;
}
static int exact_erfcinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return invert_tail(result, x, 1);
}
static int exact_erfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t tail;
    if (mpfr_zero_p(x) || (mpfr_number_p(x) && mpfr_get_exp(x) < -200)) { /* x sqrt(pi) / 2 */
        mpfr_const_pi(result, MPFR_RNDZ);
        mpfr_sqrt(result, result, MPFR_RNDZ);
        mpfr_mul(result, result, x, rounding);
        mpfr_div_2ui(result, result, 1, rounding);
        return 1;
    }
    mpfr_init2(tail, 2 * WAY_BITS);
    mpfr_ui_sub(tail, 1, x, MPFR_RNDN);
    const int inexact = invert_tail(result, tail, 1);
    mpfr_clear(tail);
    return inexact;
}
/* -sqrt(2) erfcinv(2 x) */
static int exact_normcdfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t tail;
    mpfr_init2(tail, 2 * WAY_BITS);
    mpfr_mul_2ui(tail, x, 1, MPFR_RNDN);
    const int inexact = invert_tail(result, tail, 2);
    if (!mpfr_zero_p(result))
        mpfr_neg(result, result, rounding);
    mpfr_clear(tail);
    return inexact;
}

/* The power series, whose terms are positive. */
static int exact_modified(mpfr_ptr result, mpfr_srcptr x, unsigned order)
{
    mpfr_t term, quarter;
    if (!mpfr_number_p(x) || mpfr_cmp_d(x, 800) > 0 || mpfr_cmp_d(x, -800) < 0) {
        mpfr_abs(result, x, MPFR_RNDN);
        if (mpfr_number_p(x))
            mpfr_set_inf(result, 1);
        if (order && mpfr_signbit(x))
            mpfr_neg(result, result, MPFR_RNDN);
        return 0;
    }
    mpfr_inits2(WAY_BITS, term, quarter, (mpfr_ptr)NULL);
    mpfr_sqr(quarter, x, MPFR_RNDN);
    mpfr_div_2ui(quarter, quarter, 2, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    if (order)
        mpfr_div_2ui(term, x, 1, MPFR_RNDN);
    mpfr_set(result, term, MPFR_RNDZ);
    for (unsigned k = 1; !mpfr_zero_p(term) && mpfr_get_exp(term) > mpfr_get_exp(result) - 400; k++) {
        mpfr_mul(term, term, quarter, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
        mpfr_add(result, result, term, MPFR_RNDZ);
    }
    mpfr_clears(term, quarter, (mpfr_ptr)NULL);
    return !mpfr_zero_p(x);
}
static int exact_i0(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return exact_modified(result, x, 0);
}
static int exact_i1(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return exact_modified(result, x, 1);
}

static int exact_fdim(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    return mpfr_dim(result, x, y, rounding);
}

/* clang-format off */
#define ONE(name, exact, estimate, low, high, hard, narrow, wide) \
    {name, exact, NULL, estimate, estimate##l, NULL, NULL, low, high, hard, narrow, wide, false, 0}
#define SLOW(name, exact, low, high, hard, narrow, wide) {name, exact, NULL, NULL, NULL, NULL, NULL, low, high, hard, narrow, wide, false, 0}
#define TWO(name, exact, estimate, narrow, wide) \
    {name, NULL, exact, NULL, NULL, estimate, estimate##l, -16, 16, HARD_ONE, narrow, wide, false, 0}
#define SLOW_TWO(name, exact, narrow, wide) {name, NULL, exact, NULL, NULL, NULL, NULL, -16, 16, HARD_ONE, narrow, wide, false, 0}
#define WAVE(name, exact) {name, exact, NULL, NULL, NULL, NULL, NULL, 0, 8, HARD_EDGES, 0.51, 7, false, 8}
static const struct function functions[] = {
    ONE("exp10",      mpfr_exp10,      exp10, -330, 310,  HARD_EDGES, 1, 1),
    ONE("expm1",      mpfr_expm1,      expm1, -40,  710,  HARD_EDGES, 0.51, 2),
    ONE("log1p",      mpfr_log1p,      log1p, -1,   16,   HARD_EDGES, 0.51, 2),
    ONE("sinh",       mpfr_sinh,       sinh,  -711, 711,  HARD_EDGES, 0.51, 3),
    ONE("cosh",       mpfr_cosh,       cosh,  -711, 711,  HARD_EDGES, 0.51, 3),
    ONE("asinh",      mpfr_asinh,      asinh, -16,  16,   HARD_EDGES, 0.51, 3),
    ONE("acosh",      mpfr_acosh,      acosh, 1,    16,   HARD_ONE,   0.51, 3),
    ONE("atanh",      mpfr_atanh,      atanh, -1,   1,    HARD_ONE,   0.51, 3),
    ONE("asin",       mpfr_asin,       asin,  -1,   1,    HARD_ONE,   0.51, 1),
    ONE("acos",       mpfr_acos,       acos,  -1,   1,    HARD_ONE,   0.51, 1),
    ONE("atan",       mpfr_atan,       atan,  -16,  16,   HARD_ONE,   0.51, 2),
    SLOW("sinpi",     mpfr_sinpi,             -16,  16,   HARD_ONE,   0.51, 2),
    SLOW("cospi",     mpfr_cospi,             -16,  16,   HARD_ONE,   0.51, 2),
    ONE("cbrt",       mpfr_cbrt,       cbrt,  -16,  16,   HARD_ONE,   0.51, 1),
    SLOW("rcbrt",     exact_rcbrt,            -16,  16,   HARD_ONE,   0.51, 1),
    ONE("erfc",       mpfr_erfc,       erfc,  -7,   28,   HARD_EDGES, 0.51, 4),
    SLOW("erfcx",     exact_erfcx,            -27,  64,   HARD_EDGES, 0.51, 5),
    SLOW("normcdf",   exact_normcdf,          -39,  10,   HARD_EDGES, 0.51, 5),
    SLOW("erfinv",    exact_erfinv,           -1,   1,    HARD_ONE,   0.51, 4),
    SLOW("erfcinv",   exact_erfcinv,          0,    2,    HARD_ONE,   0.51, 4),
    SLOW("normcdfinv", exact_normcdfinv,      0,    1,    HARD_ONE,   0.51, 4),
    SLOW("tgamma",    mpfr_gamma,             -185, 172,  HARD_EDGES, 0.51, 10),
    {"lgamma", exact_lgamma, NULL, NULL, NULL, NULL, NULL, 0, 1000, HARD_ONE, 0.51, 4, true, 0},
    WAVE("j0", mpfr_j0),
    WAVE("j1", mpfr_j1),
    WAVE("y0", mpfr_y0),
    WAVE("y1", mpfr_y1),
    SLOW("cyl_bessel_i0", exact_i0,           -714, 714,  HARD_EDGES, 0.51, 6),
    SLOW("cyl_bessel_i1", exact_i1,           -714, 714,  HARD_EDGES, 0.51, 6),
    TWO("atan2",      mpfr_atan2,      atan2, 0.51, 2),
    TWO("hypot",      mpfr_hypot,      hypot, 0.51, 1),
    SLOW_TWO("rhypot", exact_rhypot,          0.51, 2),
    SLOW_TWO("fmod",  mpfr_fmod,              0.5, 0.5),
    SLOW_TWO("remainder", mpfr_remainder,     0.5, 0.5),
    SLOW_TWO("fdim",  exact_fdim,             0.5, 0.5),
};
/* clang-format on */

const struct function *function_of_library(size_t index)
{
    return index < sizeof functions / sizeof functions[0] ? &functions[index] : NULL;
}
