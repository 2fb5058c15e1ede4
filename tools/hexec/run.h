/* What cmd_run.c knows about a run, for the summary and the JSON document. */
#pragma once

#include "command.h"
#include "hexec/profile.h"

#define RUN_LAUNCHES_SHOWN 16

/* Launches of one kernel and shape, in the order of the first. */
struct run_launch {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared_bytes;
    uint64_t times, duration_ns, threads;
    uint32_t tier;             /* hx_tier, of the last one */
    char why_interpreted[256]; /* "": nobody asked */
};

struct run {
    struct command *command;
    hx_context *context; /* NULL when it could not be made */
    struct run_launch launches[RUN_LAUNCHES_SHOWN];
    size_t launch_count;
    uint64_t launches_left_out;
    hx_run_result result;
    struct text printed;           /* by the kernels; with --json it is part of the document */
    size_t expectations;           /* checked by --verify */
    bool ran, verified;            /* the buffers hold something; --verify compared them */
    bool wants_profile;            /* set before run_execute: run in passes, and leave the profile */
    bool wants_exports;            /* leave one for exports; what is printed does not change */
    bool wants_coverage;           /* --coverage: leave one, but without times if it is not wanted */
    hx_profile *profile;           /* NULL: there is none */
    hx_checks *checks;             /* of --check; NULL: there are none */
    hx_suppressions *suppressions; /* of --suppressions; NULL: there are none */
    hx_exploration *exploration;   /* of --explore; NULL: there is none */
    hx_fidelity_log *fidelity;     /* of runs that count issues; NULL: there is none */
    hx_samples *samples;           /* of --hot-lines; NULL: none are taken */
    hx_status status;
};

/* Does what the options of run say, up to printing; leaves run->status. The command is set. */
void run_execute(struct run *run);
void run_done(struct run *run);
/* In checks.c: what --check and its options want; no kinds: no checks. ret_wanted->suppressions is given. */
HX_MUST_CHECK hx_status checks_wanted(struct command *command, hx_checks_options *ret_wanted);
/* In checks.c: opens run->checks if --check wants some; behind the run, writes the files of findings and puts
 * what was found into run->status; prints it. */
HX_MUST_CHECK hx_status checks_prepare(struct run *run);
void checks_finish(struct run *run);
HX_MUST_CHECK hx_status checks_print(struct run *run);
/* In hot_lines.c: what --hot-lines wants of the launches, and what it has found: nothing without it. */
HX_MUST_CHECK hx_status hot_lines_prepare(struct run *run, hx_launch_options *launch);
void hot_lines_print(struct text *out, const struct run *run);
void hot_lines_put(struct text *out, const struct run *run);
/* In replayed.c: makes the context and loads the program; for the debugger compiled as a replay token has it.
 */
HX_MUST_CHECK hx_status replayed_load(struct run *run);
/* Loads the program, and overrides what the options say. */
HX_MUST_CHECK hx_status run_prepare(struct run *run);
/* What to run, and in which shape, as the options say. */
hx_run_options run_wanted(struct run *run);
/* In cmd_profile.c: how the options want it printed; what is wrong with them is reported before anything
 * runs; and it is printed so. */
hx_profile_print_options profile_print_options(const struct command *command);
HX_MUST_CHECK hx_status profile_check_printing(const struct command *command);
hx_status profile_print(const struct run *run);
/* Writes the files that are made of a profile. */
hx_status profile_save(const struct run *run);

/* A few lines for people, or with --json one document; the buffers of --print are in both. */
hx_status run_print_summary(const struct run *run);
hx_status run_print_json(const struct run *run);
