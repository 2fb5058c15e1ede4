/* Tests of an instruction set: vector files and programs with expectations, run and counted. */
#pragma once

#include "hexec/check.h"
#include "hexec/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hx_test_options {
    size_t size;                   /* sizeof (hx_test_options) */
    const hx_allocator *allocator; /* borrowed; NULL: the C library's. Called from several threads */
    const char *filter;            /* only points whose name contains this text; NULL: all */
    uint32_t jobs;                 /* files at a time; 0: as many as the process has cores */
    const char *cpu_level;         /* as in hx_device_options */
    /* Called from one thread at a time when a file is done; NULL: no call. */
    void (*progress)(void *user, size_t files_done, size_t files);
    void *user;
    struct hx_progress *launches;    /* where the programs and vectors that run tell what they are doing
                                        (progress.h); borrowed for the call. NULL: nowhere */
    const hx_checks_options *checks; /* programs run under these, and an error that they find is a
                                               failure; borrowed for the call. NULL: none. Vectors are not
                                               checked */
} hx_test_options;

/* What was run and came of it. Constant. */
typedef struct hx_test_report hx_test_report;

/* Runs the tests of files and folders (of a folder all .yaml and .yml files, by name). A file that says
 * `vectors:` has vectors, each of which is run on full warps, by a lone lane and in diverged warps; any other
 * is a program, which is run and compared with its `expect`. *ret_report is given (hx_test_report_free), also
 * when tests fail: that is HX_MISMATCH. HX_INVALID and HX_IO for files that cannot be used, reported in
 * `diag`; HX_NO_MEMORY. Borrows `isa` until the report is freed. */
HX_API HX_MUST_CHECK hx_status hx_test_run(const hx_isa *isa, const char *const *paths, size_t path_count,
                                           const hx_test_options *options, hx_diag *diag,
                                           hx_test_report **ret_report);
HX_API void hx_test_report_free(hx_test_report *report);

/* One test: an instruction of a vector file with all its vectors, or a program. Strings belong to the report.
 */
typedef struct hx_test_point {
    const char *file, *name; /* name: "add.sat.i32", or the program's */
    int line;
    size_t vectors;      /* 0: a program */
    size_t failures;     /* vectors that failed in some way of running them; of a program 0 or 1 */
    const char *message; /* the first failures, a line each; "" when there is none */
    uint64_t duration_ns;
    const char *findings;       /* of a program that was checked: the document of HX_CHECKS_JSON; else NULL */
    uint64_t found, suppressed; /* findings: those that count, and those that are suppressed */
} hx_test_point;
HX_API size_t hx_test_point_count(const hx_test_report *report);
HX_API hx_test_point hx_test_point_at(const hx_test_report *report, size_t index);

/* How much of the instruction set the points that passed have tried: each opcode over each of its types (and
 * source types), and each of those with each modifier that means something there. */
typedef struct hx_test_coverage {
    size_t forms, forms_tried;       /* opcode x type */
    size_t modified, modified_tried; /* opcode x type x modifier */
    size_t vectors, programs;        /* that were run */
} hx_test_coverage;
HX_API hx_test_coverage hx_test_report_coverage(const hx_test_report *report);
/* Writes the forms that no point has tried, "add.f32", one a call; with `modified` those with a modifier too.
 * Returns what `write` returned other than HX_OK. */
HX_API HX_MUST_CHECK hx_status hx_test_report_gaps(const hx_test_report *report, int modified,
                                                   hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
