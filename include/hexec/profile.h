/* Profiles: what a program did, counted exactly, and what it took, measured; by kernel, source line,
 * form of opcode, instruction, launch, worker and buffer.
 *
 *     hx_profile *profile;
 *     hx_profile_run(context, NULL, diag, &profile);
 *     const hx_profile_kernel *kernel = hx_profile_kernel_at(profile, 0);
 *     for (size_t i = 0; i < kernel->instructions; i++) {
 *         const hx_profile_instruction *one = hx_profile_instruction_at(profile, 0, i);
 *         printf("%s:%u %s: %g ns\n", one->file, one->line, one->form, one->time_ns);
 *     }
 *     hx_profile_free(profile);
 *
 * A profile is made in passes, each a run of the whole program on fresh buffers: plain runs, of which only
 * the wall time is taken; one that times a sample of the issues; one that follows warps and addresses. So
 * exact, measured and modelled figures never perturb one another, and a figure always says which of the three
 * it is. Passes repeat what is deterministic: of a program with races, counts and times may be of different
 * ways.
 */
#pragma once

#include "hexec/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A profile. Constant once made, so any number of threads may read it; it holds copies of all that it tells,
 * and outlives context and program. Pointers that it gives are borrowed from it. */
typedef struct hx_profile hx_profile;

#define HX_PROFILE_NONE UINT32_MAX

typedef struct hx_profile_options {
    size_t size;               /* sizeof (hx_profile_options) */
    const hx_run_options *run; /* what to run; NULL: as hx_context_run takes it. The
                                  listeners and counts of its launch are the passes' own */
    uint32_t runs; /* plain runs, and as many timed ones; 0: as many as it takes, see precision_percent; 7 at
                      least, fewer of a long program */
    int no_times;  /* not 0: no timed passes; there are no times then */
    uint64_t launch;       /* not 0: the n-th launch of a run alone is reported; the others run too */
    const hx_costs *costs; /* not NULL: what these costs predict is reported too; borrowed for the call */
    const hx_host_peaks *peaks; /* not NULL: kernels are held against these; copied */
    const char *device; /* the GPU whose caches and time are modelled: one that hexec knows by name, the path
                           of a file (docs/models.md), "none"; NULL: "a100" */
    double precision_percent; /* without `runs`: passes go on until half the 95 % interval of times is no more
                                 than this; 0: 10 */
    uint64_t budget_ns;       /* but no longer than this, the counted pass apart; 0: a second */
} hx_profile_options;

/* Runs the context's program in passes. `options` may be NULL. *ret_profile is given (hx_profile_free) when
 * HX_OK is returned, and also with HX_FAULT, HX_LIMIT and HX_INTERRUPTED: then it tells what was done until
 * the program stopped. The buffers hold what the last pass left. Kernels print in the first pass only; the
 * `launched` of the run is called in that pass. HX_INVALID when there is no such launch; what else
 * hx_context_run returns; HX_NO_MEMORY. */
HX_API HX_MUST_CHECK hx_status hx_profile_run(hx_context *context, const hx_profile_options *options,
                                              hx_diag *diag, hx_profile **ret_profile);
HX_API void hx_profile_free(hx_profile *profile);
/* What the costs that were given predict for the issues of one run: of a kernel, or of all with
 * HX_PROFILE_NONE; of all workers together. 0: there were no costs, or there is no such kernel. */
HX_API int hx_profile_prediction(const hx_profile *profile, size_t kernel,
                                 hx_cost_prediction *ret_prediction);
/* How certain the times are, and why there were no more passes. */
typedef enum hx_profile_end {
    HX_PROFILE_END_NARROW, /* they are as certain as wanted */
    HX_PROFILE_END_TIME,   /* the time for it was over */
    HX_PROFILE_END_RUNS,   /* there were as many passes as requested, or as there may be */
    HX_PROFILE_END_STOPPED /* the program was stopped */
} hx_profile_end;
typedef struct hx_profile_precision {
    double wanted_percent;
    double reached_percent; /* half the wider of the 95 % intervals of wall time and time in instructions;
                               NaN: of one run nobody knows */
    double
        others_percent; /* of the machine, that other programs used meanwhile; it makes times longer, and so
                           moves the lower ends of their intervals down; 0 where the system does not say */
    hx_profile_end end;
    double loop_ns;        /* median of what a loop of constant work took, beside each plain run */
    double slowed_percent; /* so much longer than the fastest: what shared the cores, other virtual machines
                              too; it moves the lower ends of intervals down as others_percent does */
} hx_profile_precision;
HX_API hx_profile_precision hx_profile_precision_of(const hx_profile *profile);
/* The result of hx_context_run of the first pass. */
HX_API const hx_run_result *hx_profile_result(const hx_profile *profile);

/* ---- Kernels and their code -----------------------------------------------------------------------------
 */

/* A kernel that was launched at least once. */
typedef struct hx_profile_kernel {
    const char *name, *file;
    uint32_t line;
    uint64_t launches;             /* in one run of the program */
    uint32_t grid[3], block[3];    /* of its first launch; hx_profile_launch has each */
    uint32_t warp_size, registers; /* lanes of a warp; general registers that its code names */
    uint64_t shared_bytes;         /* of a block: arrays, and the dynamic part of the first launch */
    size_t instructions, functions, lines, opcodes, buffers; /* how many of each the kernel has */
    double wall_ns; /* of its launches in one run: the median of the plain runs */
    double time_ns; /* sum of the instructions' time_ns: of all workers together */
    /* the fewest and the most that any of its launches had; shapes_differ: not all had this grid and block */
    uint32_t workers_least, workers, gang_lanes_least, gang_lanes;
    int shapes_differ;
} hx_profile_kernel;

/* One instruction of the code, and all that it did in one run of the program. */
typedef struct hx_profile_instruction {
    uint32_t pc;                   /* its index in the code */
    const char *opcode, *form;     /* "add"; "add.f32" */
    const char *class_name, *span; /* as in the instruction set: "float"; "cpu_add" */
    const char *text;              /* as written, without label and comment */
    const char *file;
    uint32_t line, column;  /* 1-based; 0: unknown */
    uint32_t function;      /* which it belongs to, of hx_profile_function_at */
    uint32_t callee;        /* of a call: the function that it calls; HX_PROFILE_NONE: it is no call,
                               or one through a table */
    int is_call, is_branch; /* is_branch: it jumps, or may jump, within the function */
    int is_conditional;     /* a branch with a guard, or a loop: it may not jump */
    uint32_t lane_loaded_bytes, lane_stored_bytes; /* that one active lane moves; both of an atomic */
    double lane_flops;
    int space; /* of an access: 1 global, 2 shared, 3 constant, 4 local, 5 generic; 0: none */
    hx_instruction_profile counts; /* of all launches of one run */
    double time_ns; /* the sampled times scaled to all issues; where none was sampled, of the mean
                       of its form in this kernel, else of the kernel. 0: nothing was timed */
    double time_low_ns, time_high_ns; /* its 95 % confidence interval; equal where it is not known */
    hx_type flop_type;    /* what lane_flops are over: f16, bf16, f32 or f64; HX_TYPE_NONE where it is 0 */
    const char *fidelity; /* how far a GPU's result may be from hexec's: "exact", "within 1 ulp", "open: why";
                             "" where the instruction set does not say */
} hx_profile_instruction;

/* A piece of code with one entry: the kernel itself, which is function 0, and each target of a call. Code
 * that is reached from several entries belongs to the first. */
typedef struct hx_profile_function {
    const char *name; /* the kernel's, or that of the label; "call_17" for one without */
    uint32_t entry;   /* pc */
    uint32_t line;
} hx_profile_function;

/* Sums over the instructions of one form, or of one line; `first` is the first of them. */
typedef struct hx_profile_sum {
    const char *form; /* of a line, its text in the source, with label and comment */
    const char *file;
    uint32_t line;  /* 0 of a form */
    uint32_t first; /* pc */
    size_t instructions;
    hx_instruction_profile counts;
    uint64_t loaded_bytes, stored_bytes;
    double flops, time_ns, time_low_ns, time_high_ns;
} hx_profile_sum;

/* How many there are, and each: NULL beyond the end, here and below. */
HX_API size_t hx_profile_kernel_count(const hx_profile *profile);
HX_API const hx_profile_kernel *hx_profile_kernel_at(const hx_profile *profile, size_t kernel);
HX_API const hx_profile_instruction *hx_profile_instruction_at(const hx_profile *profile, size_t kernel,
                                                               size_t pc);
HX_API const hx_profile_function *hx_profile_function_at(const hx_profile *profile, size_t kernel,
                                                         size_t index);
/* By form, those that took most time first; by line, in order of the source. */
HX_API const hx_profile_sum *hx_profile_opcode_at(const hx_profile *profile, size_t kernel, size_t index);
HX_API const hx_profile_sum *hx_profile_line_at(const hx_profile *profile, size_t kernel, size_t index);

/* ---- Launches -------------------------------------------------------------------------------------------
 */

/* One launch of a run. Of more than HX_PROFILE_LAUNCHES_MAX the last are not kept: their counts are in the
 * kernels' sums all the same. */
#define HX_PROFILE_LAUNCHES_MAX 4096
typedef struct hx_profile_launch {
    uint32_t kernel; /* of hx_profile_kernel_at */
    uint32_t grid[3], block[3];
    uint64_t threads, blocks;
    uint32_t workers;                          /* that it had */
    double wall_ns, wall_low_ns, wall_high_ns; /* median of the plain runs and its 95 % confidence interval */
    uint32_t gang_lanes;                       /* the most lanes that one dispatch served */
} hx_profile_launch;
HX_API size_t hx_profile_launch_count(const hx_profile *profile);
HX_API uint64_t hx_profile_launches_left_out(const hx_profile *profile);
HX_API const hx_profile_launch *hx_profile_launch_at(const hx_profile *profile, size_t launch);
/* Where the time of worker `worker` of a launch went, in the timed pass; NULL beyond its workers, and where
 * nothing was taken. */
HX_API const hx_worker_profile *hx_profile_worker_at(const hx_profile *profile, size_t launch, size_t worker);

/* ---- Metrics --------------------------------------------------------------------------------------------
 */

typedef enum hx_metric_kind { HX_METRIC_EXACT, HX_METRIC_MEASURED, HX_METRIC_MODEL } hx_metric_kind;
/* What a metric may be of; hx_metric.scopes is a set of them. */
typedef enum hx_profile_scope {
    HX_SCOPE_KERNEL = 1,
    HX_SCOPE_INSTRUCTION = 2, /* index: pc */
    HX_SCOPE_LINE = 4,
    HX_SCOPE_OPCODE = 8,
    HX_SCOPE_LAUNCH = 16, /* kernel is not read; index: of hx_profile_launch_at */
    HX_SCOPE_BUFFER = 32
} hx_profile_scope;

typedef struct hx_metric {
    const char *name;  /* "sectors_per_request": the CSV column, the JSON key */
    const char *title; /* "sect/req": of a column for people */
    const char *unit;  /* "sectors", "ns", "" for a share of a whole */
    hx_metric_kind kind;
    uint32_t scopes;     /* hx_profile_scope */
    const char *formula; /* of the counters that docs/metrics.md lists */
    const char *help;    /* one sentence, or two */
    const char *ncu;     /* what Nsight Compute calls the same; NULL: it has nothing like it */
} hx_metric;

/* The table of all metrics: static, the same in each process of one version. NULL beyond the end. */
HX_API const hx_metric *hx_metric_at(size_t metric);
/* Its index; HX_PROFILE_NONE for a name that there is not. */
HX_API uint32_t hx_metric_find(const char *name);
HX_API const char *hx_metric_kind_name(hx_metric_kind kind); /* "exact", "measured", "model"; static */

typedef struct hx_metric_value {
    const char *why;         /* NULL: there is a value; else why not, static or borrowed from the profile */
    double value, low, high; /* low and high: 95 % confidence interval of what is measured, else the value */
} hx_metric_value;
HX_API hx_metric_value hx_profile_metric(const hx_profile *profile, size_t metric, hx_profile_scope scope,
                                         size_t kernel, size_t index);

/* ---- Hints ----------------------------------------------------------------------------------------------
 */

/* What could be changed to make a kernel faster, in plain words with its figures; those that promise most
 * come first. docs/profiling.md has the rules. */
typedef struct hx_profile_hint {
    uint32_t kernel, line; /* line 0: the kernel as a whole */
    const char *rule;      /* "uncoalesced", "bank-conflicts", "divergence", ... */
    const char *text;
    double share; /* of the kernel's time or lanes that it is about, to compare hints with */
} hx_profile_hint;
HX_API size_t hx_profile_hint_count(const hx_profile *profile);
/* NULL beyond the end. */
HX_API const hx_profile_hint *hx_profile_hint_at(const hx_profile *profile, size_t hint);

/* ---- Printing -------------------------------------------------------------------------------------------
 */

typedef enum hx_profile_format {
    HX_PROFILE_TEXT,
    HX_PROFILE_JSON,
    HX_PROFILE_CSV,
    HX_PROFILE_LCOV
} hx_profile_format;

typedef struct hx_profile_print_options {
    size_t size;
    hx_profile_format format;
    uint32_t scope;   /* TEXT: only the table of this hx_profile_scope; CSV: its rows. 0: of TEXT all that
                         fits a screen, of CSV HX_SCOPE_OPCODE */
    const char *sort; /* name of a metric, largest first, or "source" for the order of the source; NULL:
                         time_ns, of launches "source" */
    uint32_t top;     /* rows of a table; 0: TEXT 10, CSV all */
    int color;        /* not 0: ANSI colours, TEXT only */
} hx_profile_print_options;

/* Writes the profile: tables of at most 80 columns for people; one JSON document, "hexec-profile" version 1
 * (docs/profiling.md; its schema is that of hx_schema_print); comma-separated values, whose first line names
 * the columns; or coverage of lines, branches and opcodes as a tracefile of lcov. `options` may be NULL.
 * HX_INVALID, with a suggestion in `diag`, for a metric that there is not; HX_NO_MEMORY, or what `write`
 * returned. */
HX_API HX_MUST_CHECK hx_status hx_profile_print(const hx_profile *profile,
                                                const hx_profile_print_options *options, hx_diag *diag,
                                                hx_write_function write, void *user);
/* The table of metrics, or the row of `metric` (NULL: all): as text for people, or as Markdown, of which
 * docs/metrics.md is made. HX_INVALID, with a suggestion in `diag`, for a name that there is not. */
HX_API HX_MUST_CHECK hx_status hx_metric_print(const char *metric, int markdown, hx_diag *diag,
                                               hx_write_function write, void *user);

#ifdef __cplusplus
}
#endif
