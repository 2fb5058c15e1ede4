/* How a profile is made, pass by pass: api runs the program and tells what each launch was and gave.
 *
 *     profile_new; for each pass: for each launch profile_launch_begin, the launch, profile_launch_end;
 *     profile_pass_end after each pass; profile_finish. */
#pragma once

#include "device/device.h"
#include "hexec/collector.h"
#include "profile/blocks.h"

enum profile_pass { PASS_PLAIN, PASS_TIMED, PASS_COUNTED };

/* The room that a launch of a pass fills in; used again for the next. */
struct profile_step {
    enum profile_pass pass;
    struct profile_kernel *kernel;
    struct profile_launch *launch; /* NULL: one too many to be kept */
    LIST(hx_worker_profile) workers;
    struct block_watch blocks;
    hx_collector collector;
    struct exec_listener collecting, modelling, hosting;
    const struct exec_listener *listeners; /* what the launch is to be given; may be NULL */
};
void profile_step_done(struct profile_step *step, const hx_allocator *allocator);

/* Makes an empty profile of a program that runs as `options` say, `runs` times plainly. *ret_profile is given
 * (hx_profile_free). `device` is the GPU to be modelled, as modelled_open has it; what that returns, and
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status profile_new(const hx_program *program, const hx_run_options *options, uint32_t runs,
                                    const char *device, const hx_allocator *allocator, hx_diag *diag,
                                    hx_profile **ret_profile);
/* Before a launch: makes `options` and step->listeners collect what step->pass is for. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status profile_launch_begin(hx_profile *profile, const struct kernel *code,
                                             hx_device *device, hx_launch_options *options, hx_diag *diag,
                                             struct profile_step *step);
/* After it, however it ended: adds what it did. */
void profile_launch_end(hx_profile *profile, const hx_launch_result *result, struct profile_step *step);
/* After the last launch of a pass. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status profile_pass_end(hx_profile *profile, enum profile_pass pass, hx_diag *diag);
/* Forgets every second plain run, so that there is room for later ones. */
void profile_thin_runs(hx_profile *profile);
/* Half the widest of the intervals of the wall time and of the time in instructions, over its time, with the
 * passes that there are and others using so much of the machine; NaN while there are too few. */
double profile_spread(const hx_profile *profile, double others);
/* Times of instructions that were sampled so far, and instructions that have any issues: what tells whether
 * another timed pass is worth its while. */
void profile_sampled(const hx_profile *profile, uint64_t *ret_sampled, uint64_t *ret_instructions);
/* When all passes are done: sums, scaled times, intervals. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status profile_finish(hx_profile *profile, hx_diag *diag);

/* code.c: what a profile shows of the code, copied. `name`, which is the arena's, is that of its file; NULL:
 * as its source has it. */
HX_MUST_CHECK hx_status profile_take_code(const struct kernel *code, const char *name, struct arena *arena,
                                          hx_diag *diag, struct profile_kernel *kernel);
/* profile.c: an empty profile of nothing, and the lines of a source, copied under this name: one more of the
 * profile's. NULL: no memory. */
hx_profile *profile_new_empty(const hx_run_options *options, uint32_t runs, const hx_allocator *allocator);
const struct profile_source_text *profile_add_source(hx_profile *profile, const struct source *source,
                                                     const char *name);

/* A guarded instruction that goes elsewhere (a jump, call, return, exit), or a loop. */
bool profile_is_conditional(const struct instruction *instruction);

/* sums.c: from the passes' counters to figures, behind durations_finish. HX_NO_MEMORY. */
void profile_add_counts(hx_instruction_profile *to, const hx_instruction_profile *from);
void profile_add_instruction(const hx_profile_instruction *one, const hx_instruction_profile *counts,
                             struct measure *to);
HX_MUST_CHECK hx_status profile_sum_kernel(hx_profile *profile, struct profile_kernel *kernel, hx_diag *diag);
void profile_sum_launch(const hx_profile *profile, struct profile_launch *launch);
