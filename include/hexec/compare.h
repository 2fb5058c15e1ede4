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
 * measured ones by 95 % confidence intervals of their difference, so that noise is not taken for news: a
 * program compared with itself is called different in one of 20 comparisons at most. The same two files
 * always give the same answer.
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
    double band_percent;           /* what counts as equally fast, either way; 0: 10 */
} hx_compare_options;

typedef enum hx_compare_verdict {
    HX_COMPARE_NOT_COMPARABLE, /* hx_comparison_difference_at says why */
    HX_COMPARE_SAME,           /* the whole interval of the difference of the wall time is within the band */
    HX_COMPARE_FASTER,
    HX_COMPARE_SLOWER,
    HX_COMPARE_REGRESSION, /* the wall time, or the instructions a kernel issues, rose by more than the
                              threshold; a rise of the wall time within noise never is one */
    HX_COMPARE_UNKNOWN /* the interval holds 0 and more than the band: hx_compare_wall.need says what would
                          tell */
} hx_compare_verdict;

/* An estimate and its 95 % confidence interval; all three are equal for what is exact, low and high are NaN
 * where there is too little to tell, and so is value where a profile has no such figure. */
typedef struct hx_compare_interval {
    double value, low, high;
} hx_compare_interval;

/* What would tell whether a program is as fast as before, where nobody can. */
typedef enum hx_compare_need {
    HX_COMPARE_NEED_NOTHING,   /* it is known */
    HX_COMPARE_NEED_QUIET,     /* a machine with less other load */
    HX_COMPARE_NEED_RUNS,      /* more runs: runs_needed */
    HX_COMPARE_NEED_EXECUTIONS /* several profiles of both: more runs of one execution do not tell */
} hx_compare_need;

/* Wall times of the plain runs: medians, each with the interval that a profile gives it (docs/profiling.md).
 * Both intervals are of the difference, new - old, by MOVER on a scale of ratios (Zou and Donner,
 * Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008). */
typedef struct hx_compare_wall {
    size_t old_runs, new_runs;
    double old_median_ns, new_median_ns;                   /* 0 without runs */
    hx_compare_interval difference_ns, difference_percent; /* percent of the old median */
    double band_percent;
    double old_others_percent, new_others_percent; /* of the machine, that others used meanwhile */
    hx_compare_need need;
    size_t runs_needed;   /* of both, about */
    double drift_percent; /* how much longer a loop of constant work took beside the new profile: the cores'
                             own change, which the interval holds; 0: not known */
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

/* A figure that is another now: an exact or modelled one that is not equal, or a measured one whose
 * difference is more than noise; without intervals there is no telling. The interval of the difference is
 * made from those of both values (MOVER). As there are many measured figures, each is judged by Holm's
 * procedure, so that one comparison in 20 at most finds any change where there is none (Holm, A simple
 * sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979). */
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
/* How many figures were compared: exact and modelled ones, and measured ones. */
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
