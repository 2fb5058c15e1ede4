/* The error of results. */
#pragma once

#include "functions.h"

/* A result that is worth showing: its inputs and itself, as bits. */
struct witness {
    uint64_t a, b, result;
};

struct tally {
    uint64_t inputs;
    uint64_t asked; /* of them were given to MPFR */
    uint64_t not_rounded;
    uint64_t special; /* NaN, an infinity or a zero that is wrong, or missing */
    double error;     /* the largest, in ulp of the exact value */
    struct witness worst, first_special;
};

struct judge {
    const struct function *function;
    const struct format *format;
    bool direct;        /* every input is given to MPFR */
    double margin;      /* in ulp: the estimate is nearer than this to the exact value */
    long double beyond; /* 2 to the first exponent that the format lacks */
    long double *scales;
    double *values[3];
    size_t capacity;
    mpfr_t x, y, exact, error;
};

/* For up to `capacity` results at once. False when memory runs out. */
bool judge_init(struct judge *judge, const struct function *function, const struct format *format,
                size_t capacity, bool direct);
void judge_done(struct judge *judge);
/* Adds `count` results to a tally; `b` is NULL for functions of one argument. */
void judge_results(struct judge *judge, const void *a, const void *b, const void *results, size_t count,
                   struct tally *tally);
