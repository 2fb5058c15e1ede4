/* A profile of several programs, whose launches are done once each: all passes are one, so that counts are
 * exact and times are those of launches which are followed.
 *
 *     programs_new; for each launch programs_begin, the launch with what it wants, programs_end;
 *     programs_finish.
 *
 * A kernel is known by its name and its source, so that a program which is loaded again is the same. Until it
 * is finished, a profile has nothing but what its allocator gave, not even constant strings: another process
 * may go on with it, at the same addresses. */
#pragma once

#include "exec/kernel.h"
#include "profile/build.h"
#include "profile/profile.h"

/* What is kept: further launches are left out. */
#define PROGRAMS_KERNELS      2048
#define PROGRAMS_INSTRUCTIONS 50000 /* of all kernels */

struct programs_step {
    struct profile_step plain, timed, counted;
    const struct exec_listener *listeners; /* what the launch is to be given; NULL: it is left out */
};

/* *ret_profile is given (hx_profile_free); `name` is that of what launches. `device` as modelled_open has it.
 * What that returns, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status programs_new(const char *name, const hx_run_options *options, const char *device,
                                     const hx_allocator *allocator, hx_diag *diag, hx_profile **ret_profile);
/* Before a launch: makes `options` and step->listeners collect all there is. One launch at a time. Without
 * memory, or room, the launch is left out. */
void programs_begin(hx_profile *profile, const hx_kernel *kernel, hx_device *device,
                    hx_launch_options *options, struct programs_step *step);
/* After it, however it ended. */
void programs_end(hx_profile *profile, const hx_launch_result *result, struct programs_step *step);
void programs_step_done(struct programs_step *step, const hx_allocator *allocator);
/* Launches that were left out. */
uint64_t programs_left_out(const hx_profile *profile);
/* After the last launch: sums, times. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status programs_finish(hx_profile *profile, hx_diag *diag);

/* Of the launch that begins: its kernel's place, as profile->kernel_of has those of one program, and its
 * source. */
uint32_t *programs_place(hx_profile *profile);
const struct profile_source_text *programs_source(const hx_profile *profile);
