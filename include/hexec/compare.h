/* Comparing two profiles: is a program faster or slower than it was, by how much, and what else changed.
 *
 *     hx_comparison *comparison;
 *     hx_compare("baseline.json", "now.json", NULL, diag, &comparison);
 *     if (hx_comparison_verdict(comparison) == HX_COMPARE_REGRESSION)
 *         ...
 *     hx_comparison_free(comparison);
 *
 * Profiles are compared when they are of the same program, instruction set, inputs, grids, build, machine and
 * options; else each thing that differs is named. Exact and modelled figures are compared for equality,
 * measured ones by 95 % confidence intervals of their difference, so that noise is not taken for news. The
 * same two files always give the same answer.
 */
#pragma once

#include "hexec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A comparison. Constant once made, so any number of threads may read it; strings belong to it. */
typedef struct hx_comparison hx_comparison;

typedef struct hx_compare_options {
    size_t size;                   /* sizeof (hx_compare_options) */
    const hx_allocator *allocator; /* borrowed until the comparison is freed; NULL: the C library's */
    double threshold_percent;      /* above 0: in place of the threshold that the old profile holds */
} hx_compare_options;

typedef enum hx_compare_verdict {
    HX_COMPARE_NOT_COMPARABLE, /* hx_comparison_difference_at says why */
    HX_COMPARE_SAME,           /* no difference of the wall time that is more than noise */
    HX_COMPARE_FASTER,
    HX_COMPARE_SLOWER,
    HX_COMPARE_REGRESSION /* the wall time, or the instructions a kernel issues, rose by more than the
                             threshold; a rise of the wall time within noise never is one */
} hx_compare_verdict;

/* An estimate and its 95 % confidence interval; all three are equal for what is exact, low and high are NaN
 * where there is too little to tell, and so is value where a profile has no such figure. */
typedef struct hx_compare_interval {
    double value, low, high;
} hx_compare_interval;

/* Wall times of the plain runs. Both intervals are of the difference of medians, new - old, by the percentile
 * bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). */
typedef struct hx_compare_wall {
    size_t old_runs, new_runs;
    double old_median_ns, new_median_ns;                   /* 0 without runs */
    hx_compare_interval difference_ns, difference_percent; /* percent of the old median */
} hx_compare_wall;

/* Something that must be the same in both profiles and is not. */
typedef struct hx_compare_difference {
    const char *what;                /* "machine.cpu"; "kernel matmul, grid" */
    const char *old_text, *new_text; /* "" where a profile has it not */
} hx_compare_difference;

typedef enum hx_compare_scope {
    HX_COMPARE_KERNEL,
    HX_COMPARE_LAUNCH, /* `of`: its number, from 0 */
    HX_COMPARE_BUFFER, /* `of`: its name */
    HX_COMPARE_OPCODE, /* `of`: its form, as in "add.f32" */
    HX_COMPARE_LINE    /* `of`: its number; only where both kernels have the same code */
} hx_compare_scope;

/* A figure that is another now: an exact or modelled one that is not equal, or a measured one whose interval
 * of the difference does not hold 0; without intervals there is no telling. Of independent estimates that
 * interval is made from theirs (Zou and Donner, Construction of confidence limits about effect measures,
 * Statistics in Medicine 27, 2008). */
typedef struct hx_compare_change {
    const char *kernel, *of;
    hx_compare_scope scope;
    const char *metric, *unit, *kind;                     /* kind: "exact", "measured", "model" */
    hx_compare_interval old_value, new_value, difference; /* new - old */
    int is_regression;
} hx_compare_change;

/* Reads both profiles and compares them; `options` may be NULL. *ret_comparison is given
 * (hx_comparison_free), also when they turn out not to be comparable. HX_INVALID for a file that is no
 * profile, with its file and the line and column, or the path, of the mistake in `diag`; HX_IO, HX_NO_MEMORY.
 */
HX_API HX_MUST_CHECK hx_status hx_compare(const char *old_path, const char *new_path,
                                          const hx_compare_options *options, hx_diag *diag,
                                          hx_comparison **ret_comparison);
HX_API void hx_comparison_free(hx_comparison *comparison);

/* The answer in one word. */
HX_API hx_compare_verdict hx_comparison_verdict(const hx_comparison *comparison);
/* Percent; NaN when there is none. */
HX_API double hx_comparison_threshold(const hx_comparison *comparison);
HX_API hx_compare_wall hx_comparison_wall(const hx_comparison *comparison);
/* The program's name, and which hexec wrote each profile: "0.1.0". */
HX_API const char *hx_comparison_program(const hx_comparison *comparison);
HX_API const char *hx_comparison_old_hexec(const hx_comparison *comparison);
HX_API const char *hx_comparison_new_hexec(const hx_comparison *comparison);
/* NULL beyond the end. */
HX_API const hx_compare_difference *hx_comparison_difference_at(const hx_comparison *comparison,
                                                                size_t index);
HX_API const hx_compare_change *hx_comparison_change_at(const hx_comparison *comparison, size_t index);
/* How many figures were compared: exact and modelled ones, and measured ones, of which one in 20 changes by
 * chance alone. */
HX_API size_t hx_comparison_exact(const hx_comparison *comparison);
HX_API size_t hx_comparison_measured(const hx_comparison *comparison);

/* Writes the profile at `profile_path` to `path` as a baseline: the same document with this threshold in it
 * (percent, above 0). Both may name the same file, which is replaced in one step. HX_INVALID, HX_IO,
 * HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_compare_save_baseline(const char *profile_path, const char *path,
                                                        double threshold_percent,
                                                        const hx_allocator *allocator, hx_diag *diag);

#ifdef __cplusplus
}
#endif
