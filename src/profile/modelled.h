/* What the models of a GPU add to a profile: a listener of the counted pass, sums over its launches. */
#pragma once

#include "gpu/model.h"
#include "profile/build.h"
#include "profile/profile.h"

/* Of a kernel: sums over its launches, and what the first of them was. */
struct profile_modelled {
    struct hierarchy_counts *instructions, *buffers; /* profile->buffer_count of the latter, and two more */
    struct model_launch first;                       /* its kernel is NULL until there is one */
    double ns, fill_ns, parts_ns[TIMING_PART_COUNT];
    double achieved_ns; /* achieved occupancy of each launch times its modelled time */
};

/* The GPU called `device` (as gpu_load has it; "none": no GPU) is modelled in the counted pass, unless the
 * run has a seed: the caches then have no order of their own. Names of the program's buffers are copied; NULL
 * is no program, without buffers.
 * HX_INVALID, HX_IO, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status modelled_open(hx_profile *profile, const char *device, const hx_program *program,
                                      hx_diag *diag);
void modelled_close(hx_profile *profile);
/* Before a launch of the counted pass, behind profile_launch_begin. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status modelled_launch_begin(hx_profile *profile, hx_buffer *const *buffers, size_t count,
                                              hx_launch_options *options, hx_diag *diag,
                                              struct profile_step *step);
/* After it. Without memory, or where the launch did not begin, the kernel has no model. */
void modelled_launch_end(hx_profile *profile, const struct profile_step *step);
/* Sums of a kernel: before its instructions are added up to lines and forms, and behind that. */
void modelled_sum_instructions(struct profile_kernel *kernel);
HX_MUST_CHECK hx_status modelled_sum_kernel(hx_profile *profile, struct profile_kernel *kernel,
                                            hx_diag *diag);
void modelled_sum_launch(struct profile_launch *launch);
/* Which part is the longest. */
enum timing_part modelled_bound(const struct profile_modelled *modelled);
