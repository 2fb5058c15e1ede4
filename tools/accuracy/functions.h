/* What opcodes compute: the exact value by MPFR, an estimate by the C library, where they are interesting,
 * and the error that they may have. */
#pragma once

#include "formats.h"

#include <mpfr.h>

/* Where a function has its hard inputs. */
enum hard { HARD_NOWHERE, HARD_EDGES, HARD_ONE, HARD_PI };

struct function {
    const char *name;
    /* Rounds towards zero; other than 0: the result is not exact. One of them is not NULL. */
    int (*exact)(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
    int (*exact_of_two)(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding);
    /* Estimates, good to a few ulp of their own types; NULL: MPFR is asked each time. */
    double (*narrow)(double);
    long double (*wide)(long double);
    double (*narrow_of_two)(double, double);
    long double (*wide_of_two)(long double, long double);
    double low, high; /* of f64: the arguments between which the result is neither constant nor infinite */
    enum hard hard;
    double narrow_limit, wide_limit; /* of the device library's: the error in ulp that f32 and f64 may have */
    bool only_positive;              /* near its zeros below 0 the error is larger */
    double largest;                  /* as near its zeros above this; 0: there is no such bound */
};

/* Of the device library, by number; NULL behind the last. */
const struct function *function_of_library(size_t index);
/* The function of an opcode; NULL when the table has none. */
const struct function *function_find(const char *opcode);
/* The largest error in ulp that an opcode may have; 0.5 means that every result is correctly rounded. */
double function_limit(const char *opcode, const char *type);
