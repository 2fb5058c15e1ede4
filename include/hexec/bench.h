/* What instructions cost on this machine: microbenchmarks of a whole instruction set, a model that is fitted
 * to them, files of such models, and what the machine itself could do at most.
 *
 * An *issue* is one dispatch: one instruction for the lanes of one gang (up to 256 threads of a block) that
 * stand at it. All times are in nanoseconds an issue unless their name says otherwise, and are measured
 * within a launch: its begin and end, loops and address arithmetic are taken off. */
#pragma once

#include "hexec/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model ----------------------------------------------------------------------------------------- */

/* What an issue did on average, and what it took. */
typedef struct hx_cost_sample {
    double lanes;     /* that did it, its guard considered */
    double masked;    /* that stood there and whose guard was false */
    double sectors;   /* 32-byte sectors of global and local memory, as hx_instruction_profile has them */
    double conflicts; /* passes over the banks of shared memory beyond the fewest */
    double ns;
} hx_cost_sample;

/* Time of an issue = issue_ns + lane_ns * lanes + masked_ns * masked + sector_ns * sectors + conflict_ns *
 * conflicts. No coefficient is negative. */
typedef struct hx_cost_model {
    double issue_ns, lane_ns, masked_ns, sector_ns, conflict_ns;
    double same_ns;       /* of an issue whose operands are the same in all lanes, which is computed once; 0:
                             there is no such thing, or it was not measured */
    double r2;            /* share of the samples' variance that the model explains; at most 1 */
    double largest_error; /* the largest |model - sample| / sample */
    uint32_t samples;
} hx_cost_model;

/* Fits a model: of all with coefficients of 0 or more the one with the least sum of squares of
 * (model - sample) / sample, so that short issues count as much as long ones. (Non-negative least squares:
 * Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23.) Predictors that the samples do not
 * tell apart get 0. `same_ns` is left 0. HX_INVALID without samples, or with one whose time is not above 0
 * or whose counts are negative. Any thread. */
HX_API HX_MUST_CHECK hx_status hx_cost_fit(const hx_cost_sample *samples, size_t count,
                                           hx_cost_model *ret_model);
/* The model's time of `issues` issues that did this much in all; the sample's own time is not read. Any
 * thread. */
HX_API double hx_cost_time(const hx_cost_model *model, double issues, const hx_cost_sample *did);

/* ---- Cost files ---------------------------------------------------------------------------------------- */

/* Models of the forms of an instruction set, and of which machine they are. A form is a mnemonic with its
 * types, "add.f32", "cvt.f32.i8", "bra". Constant but for hx_costs_add and hx_costs_read; any number of
 * threads may read. */
typedef struct hx_costs hx_costs;
/* Room for the name of a form, with its end. */
#define HX_COST_FORM_BYTES 64

typedef struct hx_cost_machine {
    char cpu[64];       /* as the processor names itself; "" when unknown */
    char cpu_level[16]; /* of the code that ran: "x86-64-v4", ... */
    uint32_t cores;
    uint32_t gang_lanes; /* the widest gang that was measured */
} hx_cost_machine;

/* Makes an empty set. *ret_costs is given (hx_costs_free). `isa` is the instruction set's name; both strings
 * are copied. Borrows `allocator`. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_costs_new(const char *isa, const hx_cost_machine *machine,
                                            const hx_allocator *allocator, hx_costs **ret_costs);
HX_API void hx_costs_free(hx_costs *costs);
/* Adds a form, or replaces its model. HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_costs_add(hx_costs *costs, const char *form, const hx_cost_model *model);
/* The model of a form, borrowed; NULL when there is none. */
HX_API const hx_cost_model *hx_costs_find(const hx_costs *costs, const char *form);
HX_API size_t hx_costs_count(const hx_costs *costs);
/* Name and model at `index`, in order of names; NULL beyond the end. Borrowed. */
HX_API const char *hx_costs_form_at(const hx_costs *costs, size_t index, const hx_cost_model **ret_model);
HX_API const char *hx_costs_isa(const hx_costs *costs);
HX_API hx_cost_machine hx_costs_machine(const hx_costs *costs);

/* Reads a cost file (YAML; `hexec schema costs` describes it). *ret_costs is given (hx_costs_free).
 * HX_INVALID with every error at its place in `diag`, HX_IO, HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_costs_load(const char *path, const hx_allocator *allocator, hx_diag *diag,
                                             hx_costs **ret_costs);
/* The same from bytes; `name` is what diagnostics call them. */
HX_API HX_MUST_CHECK hx_status hx_costs_load_text(const char *name, const char *yaml, size_t bytes,
                                                  const hx_allocator *allocator, hx_diag *diag,
                                                  hx_costs **ret_costs);
/* Writes the file that hx_costs_load reads to the same models. What `write` returned, or HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_costs_print(const hx_costs *costs, hx_write_function write, void *user);

/* ---- Predictions --------------------------------------------------------------------------------------- */

typedef struct hx_cost_prediction {
    double ns;                               /* of all issues of forms that the file has, on one worker */
    uint64_t issues;                         /* of these */
    uint64_t left_out;                       /* issues of forms that the file lacks */
    char first_left_out[HX_COST_FORM_BYTES]; /* the first of these forms; "": there is none */
} hx_cost_prediction;

/* What the issues of a kernel should take together: `profile` is what launches of it collected with
 * HX_COLLECT_WARPS | HX_COLLECT_MEMORY, one entry an instruction. An instruction over a vector (.v2, .v4)
 * counts as so many issues; other modifiers do not change what is looked up. Adds to *prediction, which
 * starts zeroed. When `instruction_ns` is not NULL it has room for one number an instruction, and gets each
 * one's share. Any thread. */
HX_API void hx_costs_predict(const hx_costs *costs, const hx_kernel *kernel,
                             const hx_instruction_profile *profile, double *instruction_ns,
                             hx_cost_prediction *prediction);

/* ---- The host's peaks ---------------------------------------------------------------------------------- */

typedef enum hx_host_level { HX_HOST_L1, HX_HOST_L2, HX_HOST_L3, HX_HOST_DRAM, HX_HOST_LEVELS } hx_host_level;
typedef enum hx_host_way { HX_HOST_READ, HX_HOST_WRITE, HX_HOST_COPY, HX_HOST_WAYS } hx_host_way;
/* "L1", "L2", "L3", "DRAM"; "read", "write", "copy". Static; "?" for another number. */
HX_API const char *hx_host_level_name(hx_host_level level);
HX_API const char *hx_host_way_name(hx_host_way way);

/* By one core, and by all cores that the process may use at once. 0: not measured. */
typedef struct hx_host_rate {
    double one, all;
} hx_host_rate;

typedef struct hx_host_memory {
    uint64_t bytes;      /* that one core went over; 0: not measured, for the machine has no such level */
    uint64_t size_bytes; /* of the cache; 0 for DRAM and where it is unknown */
    hx_host_rate rates[HX_HOST_WAYS]; /* bytes a second; a copied byte counts twice, read and written */
} hx_host_memory;

typedef struct hx_host_peaks {
    size_t size; /* sizeof (hx_host_peaks) */
    char cpu[64];
    char cpu_level[16]; /* whose vector instructions the arithmetic used */
    uint32_t cores;
    hx_host_rate f32_flops, f64_flops; /* a second; a fused multiply-add counts two */
    hx_host_memory memory[HX_HOST_LEVELS];
    int is_dram_cached; /* not 0: a cache holds all that DRAM was measured with, so that rate may be its */
    uint64_t duration_ns;
} hx_host_peaks;

typedef struct hx_host_options {
    size_t size;                   /* sizeof (hx_host_options) */
    const hx_allocator *allocator; /* NULL: the C library's */
    const char *cpu_level;         /* as hx_device_options; NULL: the best of this machine */
    uint64_t budget_ns;            /* for all of it, roughly; 0: 600 ms */
    uint64_t dram_bytes;           /* most memory to go over; 0: 256 MiB */
} hx_host_options;

/* Measures what this machine does at most: chains of fused multiply-adds, and each level of memory read,
 * written and copied, by one core and by all. The upper lines of a roofline (Williams, Waterman, Patterson,
 * Roofline: An Insightful Visual Performance Model, CACM 52(4), 2009). Runs threads of its own; nothing else
 * should run. `options` may be NULL. HX_INVALID for a CPU level that the machine lacks, HX_NO_MEMORY,
 * HX_SYSTEM when threads cannot be made. */
HX_API HX_MUST_CHECK hx_status hx_host_measure(const hx_host_options *options, hx_diag *diag,
                                               hx_host_peaks *ret_peaks);

/* ---- The benchmark of an instruction set --------------------------------------------------------------- */

/* How the lanes of an issue stand, and where its access goes. Names: hx_bench_variant_name. */
/* clang-format off */
#define HX_BENCH_VARIANT_LIST(X)                                                                          \
    X(BLOCK, "block", "a block of so many threads, all active")                                          \
    X(GUARD, "guard", "256 threads, of which the guard lets the first so many through")                  \
    X(DIVERGED, "diverged", "odd and even threads of 256 at two places")                                 \
    X(SAME, "same", "256 threads with the same operands, which is computed once")                        \
    X(CHAIN, "chain", "256 threads, each issue takes the result of the one before")                      \
    X(STRIDED, "strided", "256 threads, addresses 128 bytes apart; shared memory: all in one bank")      \
    X(RANDOM, "random", "256 threads, each at a place of its own, in no order")                          \
    X(BROADCAST, "broadcast", "256 threads at one address")
/* clang-format on */
typedef enum hx_bench_variant {
#define HX_BENCH_VARIANT_VALUE(NAME, name, text) HX_BENCH_##NAME,
    HX_BENCH_VARIANT_LIST(HX_BENCH_VARIANT_VALUE)
#undef HX_BENCH_VARIANT_VALUE
        HX_BENCH_VARIANTS
} hx_bench_variant;
/* "block"; and the sentence beside it. Static; "?" for another number. */
HX_API const char *hx_bench_variant_name(hx_bench_variant variant);
HX_API const char *hx_bench_variant_text(hx_bench_variant variant);

/* One row of the table. */
typedef struct hx_bench_point {
    hx_bench_variant variant;
    uint32_t threads;     /* of the block */
    uint32_t runs;        /* samples */
    double ns, low, high; /* of an issue: median and 95 % interval. 0 where an issue is shorter than what can
                             be distinguished from the loop around it */
    int is_fitted;        /* not 0: the model was fitted to it, among others */
    hx_cost_sample per_issue; /* what an issue did, exactly; its `ns` is the median */
    int is_unstable; /* not 0: as many samples as there may be differ by more than a tenth: do not rely on it
                      */
} hx_bench_point;

/* All that was measured of one form. */
typedef struct hx_bench_form {
    const char *name;   /* "add.f32"; borrowed from the report */
    const char *text;   /* the instruction that ran: "add.f32 r64, r16, r20" */
    const char *remark; /* what is special about how it is measured; NULL: nothing */
    const hx_bench_point *points;
    size_t point_count;
    hx_cost_model
        model; /* fitted to BLOCK, GUARD and all places of an access. CHAIN waits, SAME is computed once, and
                  whether threads stand together (DIVERGED) is nothing that the model sees */
} hx_bench_form;

typedef struct hx_bench_options {
    size_t size;                   /* sizeof (hx_bench_options) */
    const hx_allocator *allocator; /* borrowed until the report is freed; NULL: the C library's */
    const char *filter;    /* a form ("add.f32") or a mnemonic ("add"); else every form with this text in its
                              name; NULL: all */
    const char *cpu_level; /* as hx_device_options */
    uint32_t runs;         /* samples of each point; 0: 7 and more until it is stable, at most 31, quick 21 */
    int quick;             /* not 0: fewer points (blocks of 32 and 256 threads), shorter samples */
    int dry;               /* not 0: everything is made, verified and lowered, and nothing runs */
    /* Called before each form; other than HX_OK ends the benchmark with that. */
    hx_status (*progress)(void *user, size_t done, size_t forms, const char *name);
    void *user;
} hx_bench_options;

typedef struct hx_bench_report hx_bench_report;

/* Runs the benchmark of an instruction set, one worker, one form after the other. *ret_report is given
 * (hx_bench_report_free), also with a part of it when the run ends early; it borrows nothing but the
 * allocator. HX_INVALID when no form fits the filter, with a suggestion; HX_FAULT and others from a
 * benchmark's launch, which `diag` names; HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_bench_run(const hx_isa *isa, const hx_bench_options *options, hx_diag *diag,
                                            hx_bench_report **ret_report);
HX_API void hx_bench_report_free(hx_bench_report *report);
/* Forms in the order of the instruction set. */
HX_API size_t hx_bench_form_count(const hx_bench_report *report);
/* A zeroed one beyond the end. Borrows from the report. */
HX_API hx_bench_form hx_bench_form_at(const hx_bench_report *report, size_t index);
/* Where it ran; how long all of it took. */
HX_API hx_cost_machine hx_bench_machine(const hx_bench_report *report);
HX_API uint64_t hx_bench_duration_ns(const hx_bench_report *report);
/* The models as a cost file's contents. *ret_costs is given (hx_costs_free). HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_bench_costs(const hx_bench_report *report, hx_costs **ret_costs);

#ifdef __cplusplus
}
#endif
