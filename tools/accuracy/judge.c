/* Judges results. Takes inputs and results as bits, leaves a tally: the largest error, how many are not
 * correctly rounded, how many special values are wrong.
 *
 * The error is |result - exact| / ulp(exact), where ulp(y) is the distance of the format's numbers in the
 * binade [2^e, 2^(e+1)) that y is in (Goldberg's, with subnormals). An infinity that should be a number
 * counts as 2^(emax + 1), and as a wrong special value when that is more than 1 ulp away. Exact values come
 * from MPFR: 320 bits, the last of them odd when the value is not exact, so that neither ties nor powers of
 * two are hit by accident.
 *
 * MPFR takes microseconds. So the C library's function of a wider type says first about how large the error
 * is; only when that could be a new maximum, or could be on either side of half an ulp, is MPFR asked. The
 * margin is 2^-20 ulp for an estimate by double (256 of its ulps for f32) and 2^-7 ulp for one by the 64 bits
 * of x87 (16 of its ulps for f64): the C library is far better than either. */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_BITS = 320 };

/* The exponent of the last place in the binade of `exponent`. */
static int place_of(const struct format *format, int exponent)
{
    if (exponent < format->min_exponent)
        exponent = format->min_exponent;
    if (exponent > format->max_exponent)
        exponent = format->max_exponent;
    return exponent - format->precision + 1;
}

bool judge_init(struct judge *judge, const struct function *function, const struct format *format,
                size_t capacity, bool direct)
{
    const bool is_wide = format->type == HX_TYPE_F64;
    const int low = format->min_exponent, binades = format->max_exponent - low + 1;
    *judge = (struct judge){.function = function,
                            .format = format,
                            .direct = direct || (is_wide && LDBL_MANT_DIG < 64),
                            .margin = is_wide ? 0x1p-7 : 0x1p-20,
                            .beyond = ldexpl(1, format->max_exponent) * 2,
                            .capacity = capacity};
    mpfr_inits2(53, judge->x, judge->y, (mpfr_ptr)NULL);
    mpfr_inits2(EXACT_BITS, judge->exact, judge->error, (mpfr_ptr)NULL);
    judge->scales = calloc((size_t)binades, sizeof *judge->scales);
    for (int i = 0; i < 3; i++)
        judge->values[i] = calloc(capacity, sizeof *judge->values[i]);
    if (!judge->scales || !judge->values[0] || !judge->values[1] || !judge->values[2]) {
        judge_done(judge);
        return false;
    }
    for (int i = 0; i < binades; i++)
        judge->scales[i] = ldexpl(1, -place_of(format, low + i));
    return true;
}

void judge_done(struct judge *judge)
{
    free(judge->scales);
    for (int i = 0; i < 3; i++)
        free(judge->values[i]);
    mpfr_clears(judge->x, judge->y, judge->exact, judge->error, (mpfr_ptr)NULL);
}

/* ---- The exact value ----------------------------------------------------------------------------------- */

static void find_exact(struct judge *judge, double x, double y)
{
    const struct function *function = judge->function;
    mpfr_set_d(judge->x, x, MPFR_RNDN);
    int inexact;
    if (function->exact) {
        inexact = function->exact(judge->exact, judge->x, MPFR_RNDZ);
    } else {
        mpfr_set_d(judge->y, y, MPFR_RNDN);
        inexact = function->exact_of_two(judge->exact, judge->x, judge->y, MPFR_RNDZ);
    }
    if (inexact && !mpfr_nan_p(judge->exact) && !mpfr_inf_p(judge->exact) &&
        (mpfr_zero_p(judge->exact) || mpfr_min_prec(judge->exact) < EXACT_BITS)) {
        if (mpfr_signbit(judge->exact)) /* to odd */
            mpfr_nextbelow(judge->exact);
        else
            mpfr_nextabove(judge->exact);
    }
}

static int exact_place(const struct judge *judge)
{
    const mpfr_exp_t exponent = mpfr_get_exp(judge->exact) - 1;
    const int bounded = exponent < -100000 ? -100000 : exponent > 100000 ? 100000 : (int)exponent;
    return place_of(judge->format, bounded);
}

/* The exact value rounded to nearest even in the format. Uses `error`. */
static double rounded_value(struct judge *judge)
{
    const int place = exact_place(judge);
    mpfr_mul_2si(judge->error, judge->exact, -place, MPFR_RNDN);
    mpfr_rint(judge->error, judge->error, MPFR_RNDN); /* ties to even: MPFR's roundeven for MPFR_RNDN */
    mpfr_mul_2si(judge->error, judge->error, place, MPFR_RNDN);
    if (mpfr_cmp_ld(judge->error, judge->beyond) >= 0)
        return (double)INFINITY;
    if (mpfr_cmp_ld(judge->error, -judge->beyond) <= 0)
        return -(double)INFINITY;
    return mpfr_get_d(judge->error, MPFR_RNDN);
}

/* The error of a result in ulp, where the exact value is a number and not 0. */
static double error_of(struct judge *judge, double result)
{
    const int place = exact_place(judge), beyond = judge->format->max_exponent + 1;
    const int sign = mpfr_signbit(judge->exact) ? -1 : 1;
    if (mpfr_get_exp(judge->exact) > beyond) /* not less than 2^beyond */
        mpfr_set_si_2exp(judge->exact, sign, beyond, MPFR_RNDN);
    if (isinf(result))
        mpfr_set_si_2exp(judge->error, sign, beyond, MPFR_RNDN);
    else
        mpfr_set_d(judge->error, result, MPFR_RNDN);
    mpfr_sub(judge->error, judge->error, judge->exact, MPFR_RNDN);
    mpfr_mul_2si(judge->error, judge->error, -place, MPFR_RNDN);
    return fabs(mpfr_get_d(judge->error, MPFR_RNDN));
}

/* True when a NaN, an infinity or a zero is there that should not be, or is missing. */
static bool is_special_wrong(const struct judge *judge, double result)
{
    const bool same_sign = (signbit(result) != 0) == (mpfr_signbit(judge->exact) != 0);
    if (mpfr_nan_p(judge->exact) || isnan(result))
        return !(mpfr_nan_p(judge->exact) && isnan(result));
    if (mpfr_inf_p(judge->exact))
        return !(isinf(result) && same_sign);
    if (mpfr_zero_p(judge->exact))
        return !(result == 0 && same_sign);
    return (isinf(result) || result == 0) && !same_sign;
}

static void count_special(struct witness witness, struct tally *tally)
{
    if (tally->special++ == 0)
        tally->first_special = witness;
}

static void ask(struct judge *judge, double x, double y, double result, struct witness witness,
                struct tally *tally)
{
    tally->asked++;
    find_exact(judge, x, y);
    if (is_special_wrong(judge, result)) {
        count_special(witness, tally);
        return;
    }
    if (!mpfr_regular_p(judge->exact))
        return;
    const double rounded = rounded_value(judge);
    tally->not_rounded += result != rounded;
    if (isinf(result) && result == rounded)
        return;
    const double error = error_of(judge, result);
    if (isinf(result) && error > 1) { /* it says nothing about the other results, and would hide them */
        count_special(witness, tally);
        return;
    }
    if (error > tally->error) {
        tally->error = error;
        tally->worst = witness;
    }
}

/* ---- The estimate -------------------------------------------------------------------------------------- */

static long double estimate(const struct judge *judge, double x, double y)
{
    const struct function *function = judge->function;
    if (judge->format->type == HX_TYPE_F64)
        return function->wide ? function->wide((long double)x)
                              : function->wide_of_two((long double)x, (long double)y);
    return (long double)(function->narrow ? function->narrow(x) : function->narrow_of_two(x, y));
}

/* True when the estimate is enough, and the result is counted. */
static bool is_settled(const struct judge *judge, long double about, double result, struct tally *tally)
{
    const struct format *format = judge->format;
    const double near = (double)about;
    if (isnan(near) || isnan(result))
        return isnan(near) && isnan(result);
    if ((signbit(near) != 0) != (signbit(result) != 0))
        return false;
    if (fabsl(about) >= judge->beyond)
        return isinf(result) != 0;
    if (isinf(result) || isinf(near))
        return false;
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent <= format->min_exponent) {
        exponent = format->min_exponent;
    } else if (!(bits << 12)) { /* a power of two: the exact value is in one of two binades */
        if (result != near)
            return false;
        exponent -= fabsl(about) < fabsl((long double)near);
    }
    const long double difference = (long double)result - about;
    const double error = (double)fabsl(difference * judge->scales[exponent - format->min_exponent]);
    if (error > tally->error - judge->margin || fabs(error - 0.5) <= judge->margin)
        return false;
    tally->not_rounded += error > 0.5;
    return true;
}

/* Where a wave crosses zero, relative errors say little. */
static bool is_left_out(const struct function *function, double x)
{
    return (function->only_positive && x < 0) || (function->largest > 0 && fabs(x) > function->largest);
}

void judge_results(struct judge *judge, const void *a, const void *b, const void *results, size_t count,
                   struct tally *tally)
{
    const struct format *format = judge->format;
    double *const x = judge->values[0], *const y = judge->values[1], *const d = judge->values[2];
    format_values(format, a, count, x);
    format_values(format, results, count, d);
    if (b)
        format_values(format, b, count, y);
    for (size_t i = 0; i < count; i++) {
        if (is_left_out(judge->function, x[i]))
            continue;
        if (!judge->direct && is_settled(judge, estimate(judge, x[i], y[i]), d[i], tally))
            continue;
        const struct witness witness = {format_load(format, a, i), b ? format_load(format, b, i) : 0,
                                        format_load(format, results, i)};
        ask(judge, x[i], y[i], d[i], witness, tally);
    }
    tally->inputs += count;
}
